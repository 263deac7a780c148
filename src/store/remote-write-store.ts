// Defines the store of remote write: how far each receiver is, and the batch that is on its way to it.

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

/** Samples by what became of them, and the bytes of all requests. */
export interface ReceiverCounts {
  readonly accepted: number;
  readonly refused: number;
  /** Samples that were rolled up, or whose history left the configuration, before the receiver got them. */
  readonly expired: number;
  readonly bytes: number;
}

export interface ReceiverState extends ReceiverStart {
  readonly name: string;
  readonly position: ReceiverPosition;
  readonly batch: StoredBatch | null;
  readonly counts: ReceiverCounts;
  /** Since when the receiver has refused all samples (ms); null if it accepted some of the newest batch, or none was sent. */
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
   * Forgets the batch, moves the position behind it, and adds the counts, in one transaction. If nothing was accepted, the
   * receiver refuses since then.
   */
  completeBatch(name: string, counts: Omit<ReceiverCounts, 'expired'>): Promise<void>;
  /**
   * Sends the rows since `to` (ms) and all corrections again, for an engine that lost its data, and forgets the batch. Only
   * while no writer uses the receiver, because writers remember which rows have no samples.
   */
  rewind(name: string, to: number): Promise<void>;
  /** Deletes the receivers that are not among these names. */
  keepOnly(names: readonly string[]): Promise<void>;
}
