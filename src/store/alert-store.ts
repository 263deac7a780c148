// Defines the stores of silences, alerts and queued notifications, so that a restart neither ends, forgets nor repeats any.

/** Keeps notifications about the matching alerts back. Times are in ms. */
export interface Silence {
  readonly id: string;
  /** Null matches every account, and the daemon itself. */
  readonly account: string | null;
  /** Null matches every alert. */
  readonly alert: string | null;
  /** The value of a label, or `label=value`. Null matches every subject. */
  readonly subject: string | null;
  readonly comment: string;
  readonly startsAt: number;
  /** The latest end. */
  readonly endsAt: number;
  /** Whether it matches only alerts that began before it, and ends when all of them are resolved. */
  readonly untilResolved: boolean;
}

/** A silence that a user wants. */
export interface SilenceRequest extends Omit<Silence, 'id' | 'startsAt' | 'endsAt'> {
  /** Null begins at once. */
  readonly startsAt: number | null;
  /** When it ends, or how long after its start. */
  readonly end: { readonly at: number } | { readonly after: number };
}

export interface SilenceStore {
  all(): Promise<Silence[]>;
  add(silence: Silence): Promise<void>;
  /** Lets silences end at `at` (ms). */
  end(ids: readonly string[], at: number): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface StoredAlert {
  /** Empty for an alert about the daemon itself. */
  readonly account: string;
  readonly alert: string;
  /** Labels of the subject, without `account`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly severity: string;
  /** The value when one of the times below last changed. */
  readonly value: number;
  /** The step that was passed, as a used share; 0 for an alert without steps. */
  readonly step: number;
  /** Since when the condition holds (ms). */
  readonly since: number;
  /** The part of the time since then that does not count for the hold, because the machine slept or the clock was set ahead (ms). */
  readonly skippedMs: number;
  /** Null while it is pending. */
  readonly firingSince: number | null;
  /** Since when the condition no longer holds although the alert still fires (ms); null while it holds. */
  readonly absentSince: number | null;
  /** When the alert ended (ms); null before. Ended alerts are kept for a while, because receivers may need them again. */
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

/** Why a notification is not sent any more: the receiver rejected it, or it waited for too long or in a full queue. */
export type Loss = 'given_up' | 'dropped';

/** An alert whose beginning a receiver was notified of, and whose end it was not notified of yet. */
export interface NotifiedAlert {
  readonly receiver: string;
  /** The key of the group in whose notification the receiver was notified. */
  readonly groupKey: string;
  /** The alert as it was when the receiver was notified, or as it ended, with the step that the receiver knows. */
  readonly alert: StoredAlert;
  /** When the notification about its beginning was queued (ms). */
  readonly notifiedAt: number;
}

export interface NotifiedGroup {
  readonly receiver: string;
  readonly groupKey: string;
  /** When the receiver was last notified of the group (ms). */
  readonly notifiedAt: number;
}

export interface Changes<T> {
  /** Rows to add or replace. */
  readonly put: readonly T[];
  readonly removed: readonly T[];
}

/** What the history of alerts records. `at` is when it happened (ms). */
export type AlertEvent =
  | { readonly kind: 'fired' | 'resolved'; readonly alert: StoredAlert; readonly at: number }
  | ReceiverEvent;

/** A receiver that is `aware` knows the alert as firing already, because it was not notified of an earlier end. */
export interface ReceiverEvent {
  readonly kind: 'notified' | 'aware' | 'notified_of_end';
  readonly alert: StoredAlert;
  readonly receiver: string;
  /** When the notification was queued. */
  readonly at: number;
}

/** Changes stored in one transaction, so that all parts agree. Removed alerts ended without having fired. */
export interface AlertChange extends Changes<StoredAlert> {
  readonly notified?: Changes<NotifiedAlert>;
  readonly groups?: Changes<NotifiedGroup>;
  readonly notifications: readonly NewNotification[];
  /** What the history records, in the order in which it happened. */
  readonly events?: readonly AlertEvent[];
  /** Whether more changes of the notification follow. It is held until `releaseHeld`; a later one with its id replaces it. */
  readonly isHeld?: boolean;
  /**
   * All receivers from now on: what belongs to others is deleted. Delete what others were notified of first, with `forgetReceiver`.
   * Unchanged if not given.
   */
  readonly receivers?: readonly string[];
}

export interface AlertStore {
  /** Returns a page of the alerts, after the last one of the page before. */
  page(after?: StoredAlert): Promise<StoredAlert[]>;
  /** Returns a page of what receivers were notified of, after the last of the page before. It has the alerts of that time. */
  notified(after?: NotifiedAlert): Promise<NotifiedAlert[]>;
  groups(): Promise<NotifiedGroup[]>;
  /** Returns by receiver how many notifications were dropped because its queue was full or it is no receiver any more. */
  save(change: AlertChange): Promise<ReadonlyMap<string, number>>;
  /** Makes held notifications available to their receivers. */
  releaseHeld(): void;
  /** Deletes those of the alerts that have ended and not begun again since. */
  forgetEnded(alerts: readonly StoredAlert[]): Promise<void>;
  /** Deletes a part of what the receiver was notified of. Returns whether more is left. */
  forgetReceiver(receiver: string): Promise<boolean>;
  /** Returns the receivers that were last saved. */
  receivers(): Promise<string[]>;
  queuedCount(receiver: string): Promise<number>;
  /** Returns the receiver's oldest notification, unless it is held. */
  nextNotification(receiver: string): Promise<QueuedNotification | undefined>;
  /** Removes a notification from the queue. `loss` says that the receiver did not accept it. */
  removeNotification(number: number, loss?: Loss): Promise<void>;
  /** Returns why the receiver's notification about the group was lost; undefined if it was not, or long ago. */
  lossOf(receiver: string, groupKey: string, createdAt: number): Promise<Loss | undefined>;
}
