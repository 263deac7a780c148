// Defines what of the stored history is published for other engines, how it was corrected afterwards, and how far each receiver
// of remote write is.
//
// A row of history is published when it has settled. From then on, a change of the row is stored as a correction: the
// difference, with a number. The first values of a row are its current values without its corrections. So every receiver
// and every export has the same samples, whenever it reads them, and nothing is stored for a row that never changes.

import { HOUR, type Range } from '../lib/time.ts';

/** One history: a graph, a reason of a ledger, a product type of the users, or a url or tester of the tests. */
export interface StreamKey {
  readonly account: string;
  readonly source: 'traffic' | 'ledger' | 'mobile_ledger' | 'users' | 'tests';
  /** Identifies the history within its source. Other labels of its series need another subject. */
  readonly subject: string;
}

/** The values of one row, in an order that the source defines. Null if a value is not known. */
export type RowValues = readonly (number | null)[];

/** Times are starts of rows (ms). The ledgers have dates, which count as if their days were in UTC. */
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
  correctionsOf(stream: number, range: Range): Promise<Correction[]>;
  /** Returns up to `limit` corrections after this sequence, in their order. */
  correctionsAfter(sequence: number, limit: number): Promise<Correction[]>;
  /** Returns another text after each change of published rows in this process: a correction, a roll-up or a deletion. */
  version(): Promise<string>;
  /** Returns how the store has the history around this time (ms). */
  rolledUp(at: number): Promise<RolledUpHistory>;
  /** Returns the newest sequence; 0 if there is no correction. */
  newestCorrection(): Promise<number>;
}

/** Where a receiver continues. */
export interface ReceiverPosition {
  /** By stream: the start (ms) of the first published row that is not sent. Streams that are missing begin at `start`. */
  readonly streams: ReadonlyMap<number, number>;
  /** The newest correction that is sent. */
  readonly correction: number;
}

/** From when a receiver gets history. Rows and corrections of rows before these times (ms) are never sent. */
export interface ReceiverStart {
  readonly start: number;
  /** By stream, where it differs: a moved account keeps the start of its old store. */
  readonly starts: ReadonlyMap<number, number>;
}

export interface StoredBatch {
  /** The series and their samples, as they are sent. */
  readonly body: Uint8Array;
  readonly samples: number;
  /** The position after this batch. Only streams that it moves. */
  readonly next: ReceiverPosition;
  /** When it was stored (ms). */
  readonly at: number;
}

/**
 * No kept samples wait longer (ms): the time that an answer gives can be that of a gateway, and the clock of the receiver can
 * be corrected. Samples that are due later were kept before this machine's clock went back.
 */
export const LONGEST_WAIT_MS = HOUR;

/** Samples that a receiver gets later, beside its position. */
export interface KeptSamples extends Pick<StoredBatch, 'body' | 'samples'> {
  /** The time of the oldest of them (ms). */
  readonly firstAt: number;
  /** Since when they are kept (ms). */
  readonly at: number;
  /** How long after that they are to be sent (ms). */
  readonly waitMs: number;
  /** Whether the receiver has accepted them, so that it only gets them once more. */
  readonly isRepeat: boolean;
}

export interface DueSamples extends KeptSamples {
  readonly id: number;
}

export interface KeptSummary {
  readonly samples: number;
  /** How many of them the receiver has not accepted, since when these are kept (ms), and the time of the oldest of them. */
  readonly early: number;
  readonly earlySince: number | null;
  readonly earlyFrom: number | null;
}

/** Samples by what became of them, and the bytes of all requests. */
export interface ReceiverCounts {
  readonly accepted: number;
  readonly refused: number;
  /** Samples that were rolled up, or whose history left the configuration, before the receiver got them. */
  readonly expired: number;
  readonly bytes: number;
}

export type SentCounts = Omit<ReceiverCounts, 'expired'>;

export const NOTHING_SENT: SentCounts = { accepted: 0, refused: 0, bytes: 0 };

export interface ReceiverState extends ReceiverStart {
  readonly name: string;
  readonly position: ReceiverPosition;
  readonly batch: StoredBatch | null;
  readonly kept: KeptSummary;
  readonly counts: ReceiverCounts;
  /** Since when the receiver has refused all samples (ms); null if it accepted some of the last that it did not keep waiting. */
  readonly refusingSince: number | null;
}

export interface RemoteWriteStore {
  /** Returns the receiver as it is stored; undefined if it was never opened. */
  find(name: string): Promise<ReceiverState | undefined>;
  /** Returns the receiver as it is stored. Creates a new one, which begins at `start` (ms), with all corrections of rows since then. */
  open(name: string, start: number): Promise<ReceiverState>;
  /**
   * Stores a batch before it is sent, and counts what expired in front of its position, in one transaction. A receiver has
   * one batch at a time.
   */
  saveBatch(name: string, batch: StoredBatch, expired?: number): Promise<void>;
  /** Moves the position without a batch, and counts what expired in front of it, in one transaction. */
  skip(name: string, next: ReceiverPosition, expired: number): Promise<void>;
  /**
   * Forgets the batch, moves the position behind it, adds the counts, and keeps samples of the batch, in one transaction. If
   * all were refused, the receiver refuses since then. If none was accepted and some wait, it is not known to refuse.
   */
  completeBatch(name: string, counts: SentCounts, kept?: readonly KeptSamples[]): Promise<void>;
  /** Returns the samples to repeat, or the others, that are due first; undefined if none are due at `now` (ms). */
  dueSamples(name: string, isRepeat: boolean, now: number): Promise<DueSamples | undefined>;
  /** The same with kept samples. `at` is since when the receiver has taken nothing, if it did not accept any of them (ms). */
  completeKept(
    name: string,
    due: Pick<DueSamples, 'id' | 'at'>,
    counts: SentCounts,
    kept: readonly KeptSamples[],
  ): Promise<void>;
  /**
   * Sends the rows since `to` (ms) and all corrections again, for an engine that lost its data, and forgets the batch. Kept
   * samples stay, because they can be older. Only while no writer uses the receiver, because writers remember which rows have no samples.
   */
  rewind(name: string, to: number): Promise<void>;
  /** Deletes the receivers that are not among these names. */
  keepOnly(names: readonly string[]): Promise<void>;
}
