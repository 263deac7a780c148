// Alerts as the store keeps them, with the notices that wait for receivers: what a restart must not forget, or say twice.

export interface StoredAlert {
  /** Empty for one about the daemon itself. */
  readonly account: string;
  readonly alert: string;
  /** Of the subject, beside `account`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly severity: string;
  /** As of the last time that one of the times below changed. */
  readonly value: number;
  /** Since when its condition holds (ms). */
  readonly since: number;
  /** Null while it is pending. */
  readonly firingSince: number | null;
  /** Since when the condition is over while the alert goes on firing; null while it holds. */
  readonly absentSince: number | null;
  /** Null until it has ended. Ended ones are kept for a while, for receivers that have to be told again. */
  readonly endedAt: number | null;
}

export interface NewNotice {
  readonly receiver: string;
  /** Tells a receiver whether it had the notice before. */
  readonly id: string;
  readonly createdAt: number;
  /** JSON. */
  readonly body: string;
}

export interface QueuedNotice extends NewNotice {
  /** Rises with each notice of the receiver. */
  readonly number: number;
}

/** What is to be stored at once, so that what has changed and who is to hear of it can never disagree. */
export interface AlertChange {
  readonly put: readonly StoredAlert[];
  /** Those that ended without having fired. */
  readonly removed: readonly StoredAlert[];
  readonly notices: readonly NewNotice[];
  /**
   * Whether more of the same evaluation follows. Until `release`, its notices are given to nobody, and one with the id
   * of one that is kept back takes its place.
   */
  readonly isKeptBack?: boolean;
  /** All receivers that notices are kept for from now on: those of others are deleted. As before unless given. */
  readonly receivers?: readonly string[];
}

export interface AlertStore {
  all(): Promise<StoredAlert[]>;
  /** Returns by receiver how many notices were deleted, since too many waited or the receiver is one no more. */
  save(change: AlertChange): Promise<ReadonlyMap<string, number>>;
  /** Gives out what was kept back. */
  release(): void;
  /** Deletes those of them that are over, and have not begun again since. */
  forgetEnded(alerts: readonly StoredAlert[]): Promise<void>;
  /** As last saved. */
  receivers(): Promise<string[]>;
  waiting(receiver: string): Promise<number>;
  /** The oldest that waits. */
  nextNotice(receiver: string): Promise<QueuedNotice | undefined>;
  /** Takes a notice out of the queue. */
  finishNotice(number: number): Promise<void>;
}
