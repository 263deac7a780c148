// Defines what of the stored history is published for other engines, and how it was corrected afterwards.
//
// A row of history is published when it has settled. Its first values are then fixed for all readers. A later change is
// stored as a correction: the difference, with a number. So every receiver and every export has the same samples,
// whenever it reads them, and the first values and the corrections of a row always add up to its current values.

/** One history: a graph, a reason of the ledger, a product type of the users, or a url or tester of the tests. */
export interface StreamKey {
  readonly account: string;
  readonly source: 'traffic' | 'ledger' | 'users' | 'tests';
  /** Identifies the history within its source. Other labels of its series need another subject. */
  readonly subject: string;
}

/** The values of one row, in an order that the source defines. Null if a value is not known. */
export type RowValues = readonly (number | null)[];

export interface PublishedStream extends StreamKey {
  readonly id: number;
  /** Rows that start before this (ms) are published. */
  readonly until: number;
}

export interface Correction {
  /** Rises with each correction, over all streams. */
  readonly sequence: number;
  readonly stream: number;
  /** The start of the row (ms). */
  readonly at: number;
  /** 1 for the first correction of a row, and so on. */
  readonly revision: number;
  /** What the correction adds to the values; null where it changes nothing. */
  readonly differences: RowValues;
}

export interface PublicationStore {
  streams(): Promise<PublishedStream[]>;
  /** Publishes the rows before `until` (ms). Rows that are published stay so. */
  publish(stream: StreamKey, until: number): Promise<PublishedStream>;
  /**
   * Returns the first values of the rows in [from, to) (ms) that were corrected, by their start. Rows that are missing
   * here were never corrected. All values are null if the row came after its time was published.
   */
  firstValues(stream: number, from: number, to: number): Promise<ReadonlyMap<number, RowValues>>;
  /** Returns the corrections of the rows in [from, to) (ms), ordered by start and revision. */
  correctionsOf(stream: number, from: number, to: number): Promise<Correction[]>;
  /** Returns up to `limit` corrections after this sequence, in their order. */
  correctionsAfter(sequence: number, limit: number): Promise<Correction[]>;
  /** Returns the newest sequence; 0 if there is no correction. */
  newestCorrection(): Promise<number>;
}
