// Defines what of the stored history is published for other engines, and how it was corrected afterwards.
//
// A row of history is published when it has settled. From then on, a change of the row is stored as a correction: the
// difference, with a number. The first values of a row are its current values without its corrections. So every receiver
// and every export has the same samples, whenever it reads them, and nothing is stored for a row that never changes.

import type { TimeRange } from './gap.ts';

/** One history: a graph, a reason of the ledger, a product type of the users, or a url or tester of the tests. */
export interface StreamKey {
  readonly account: string;
  readonly source: 'traffic' | 'ledger' | 'users' | 'tests';
  /** Identifies the history within its source. Other labels of its series need another subject. */
  readonly subject: string;
}

/** The values of one row, in an order that the source defines. Null if a value is not known. */
export type RowValues = readonly (number | null)[];

/** Times are starts of rows (ms). The ledger has dates, which count as if their days were in UTC. */
export interface PublishedStream extends StreamKey {
  readonly id: number;
  /** Rows before this time are published. */
  readonly until: number;
}

export interface Correction {
  /** Rises with each correction, over all streams. No number is used twice. */
  readonly sequence: number;
  readonly stream: number;
  /** The time of the row. */
  readonly at: number;
  /** 1 for the first correction of a row, and so on. */
  readonly revision: number;
  /** What the correction adds to the values; null where it changes nothing. */
  readonly differences: RowValues;
}

/** What of the traffic and of the use of proxy users is stored in sums of an hour or of a day. */
export interface RolledUpHistory {
  /** Rows from this time on are as polled (ms). Some or all of the older ones are rolled up. */
  readonly until: number;
  /**
   * The start of the earliest rolled-up bucket of traffic around the time in question (ms); that time if there is none. A
   * period of users has no sample before its hour or day.
   */
  readonly from: number;
}

export interface PublicationStore {
  streams(): Promise<PublishedStream[]>;
  /** Publishes the rows before `until`. Rows that are published stay so. */
  publish(stream: StreamKey, until: number): Promise<PublishedStream>;
  /** Returns the corrections of the rows in the range, ordered by time and revision. */
  correctionsOf(stream: number, range: TimeRange): Promise<Correction[]>;
  /** Returns up to `limit` corrections after this sequence, in their order. */
  correctionsAfter(sequence: number, limit: number): Promise<Correction[]>;
  /** Returns another text after each change of published rows in this process: a correction, a roll-up or a deletion. */
  version(): Promise<string>;
  /** Returns how the store has the history around this time (ms). */
  rolledUp(at: number): Promise<RolledUpHistory>;
  /** Returns the newest sequence; 0 if there is no correction. */
  newestCorrection(): Promise<number>;
}
