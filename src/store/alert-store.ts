// Defines the store of alerts and queued notifications, so that a restart neither forgets nor repeats any.

export interface StoredAlert {
  /** Empty for an alert about the daemon itself. */
  readonly account: string;
  readonly alert: string;
  /** Labels of the subject, without `account`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly severity: string;
  /** The value when one of the times below last changed. */
  readonly value: number;
  /** Since when the condition holds (ms). */
  readonly since: number;
  /** Null while it is pending. */
  readonly firingSince: number | null;
  /** Since when the condition no longer holds although the alert still fires (ms); null while it holds. */
  readonly absentSince: number | null;
  /**
   * When the alert ended (ms); null before. Ended alerts are kept for a while, because receivers may need them again.
   */
  readonly endedAt: number | null;
}

export interface NewNotification {
  readonly receiver: string;
  /** Lets a receiver recognize a notification that it already got. */
  readonly id: string;
  readonly createdAt: number;
  /** JSON. */
  readonly body: string;
}

export interface QueuedNotification extends NewNotification {
  /** Rises with each notification of the receiver. */
  readonly number: number;
}

/** Changes that are stored in one transaction, so that alerts and their notifications never disagree. */
export interface AlertChange {
  readonly put: readonly StoredAlert[];
  /** Alerts that ended without having fired. */
  readonly removed: readonly StoredAlert[];
  readonly notifications: readonly NewNotification[];
  /**
   * Whether more changes of the same evaluation follow. Their notifications are held until `releaseHeld`, and a later
   * one with the same id replaces the held one.
   */
  readonly isHeld?: boolean;
  /** All receivers from now on: notifications for others are deleted. Unchanged if not given. */
  readonly receivers?: readonly string[];
}

export interface AlertStore {
  all(): Promise<StoredAlert[]>;
  /**
   * Returns by receiver how many notifications were dropped because its queue was full or it is no receiver any more.
   */
  save(change: AlertChange): Promise<ReadonlyMap<string, number>>;
  /** Makes held notifications available to their receivers. */
  releaseHeld(): void;
  /** Deletes those of the alerts that have ended and not begun again since. */
  forgetEnded(alerts: readonly StoredAlert[]): Promise<void>;
  /** Returns the receivers that were last saved. */
  receivers(): Promise<string[]>;
  queuedCount(receiver: string): Promise<number>;
  /** Returns the receiver's oldest notification, unless it is held. */
  nextNotification(receiver: string): Promise<QueuedNotification | undefined>;
  /** Removes a notification from the queue. */
  removeNotification(number: number): Promise<void>;
}
