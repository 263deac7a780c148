// Defines what explains why a receiver was notified of an alert, or not.

import type { Filter } from '../dispatch/route.ts';

/**
 * `notified`: the receiver accepted the notification.
 * `waiting`: proxywatch queues or sends the notification by itself, at `dueAt` if that is known.
 * `kept_back`: the alert must fire, or fire for longer, or a silence or maintenance window must end.
 * `filtered`: the settings of the receiver reject the alert.
 * `delivery_failing`: the notification waits, because the receiver accepts none.
 * `given_up`: proxywatch does not send the notification any more.
 * `no_alerts`: the receiver gets no alerts.
 */
export type NoticeStatus =
  | 'notified'
  | 'waiting'
  | 'kept_back'
  | 'filtered'
  | 'delivery_failing'
  | 'given_up'
  | 'no_alerts';

export type ReasonCode =
  | Filter
  | 'pending'
  | 'after'
  | 'silence'
  | 'maintenance'
  | 'group_wait'
  | 'group_interval'
  | 'delivery'
  | 'store_failing'
  | 'rejected'
  | 'dropped';

/** What keeps a notification or its repetitions back. */
export interface Reason {
  readonly reason: ReasonCode;
  /** When it ends (ms); null if it has no end or the end is unknown. */
  readonly until: number | null;
  /** The id and the comment of a silence. */
  readonly silence: string | null;
  readonly comment: string | null;
  /** The name of a maintenance window. */
  readonly maintenance: string | null;
}

/** Times are in ms; null if they are unknown or there is none. */
export interface NoticeState {
  readonly status: NoticeStatus;
  /** Empty if nothing keeps the notification back, or nothing but the daemon's next tick. */
  readonly reasons: readonly Reason[];
  /** When the receiver accepted the notification that says that the alert fires. */
  readonly notifiedAt: number | null;
  /** When this notification was queued. */
  readonly queuedAt: number | null;
  /** When the notification will be queued if nothing changes until then. */
  readonly dueAt: number | null;
  /** When a notification will name the alert again, unless the receiver is notified of its group before. */
  readonly repeatAt: number | null;
  /** Since when the receiver has accepted nothing. */
  readonly failingSince: number | null;
}

export interface Notice extends NoticeState {
  readonly receiver: string;
  /** The type of the receiver. */
  readonly type: string;
  /** Says the same in a sentence. */
  readonly text: string;
}

export const reason = (code: ReasonCode, part: Partial<Reason> = {}): Reason => ({
  ...{ reason: code, until: null, silence: null, comment: null, maintenance: null },
  ...part,
});

export const noticeState = (status: NoticeStatus, part: Partial<NoticeState> = {}): NoticeState => ({
  ...{
    status,
    reasons: [],
    notifiedAt: null,
    queuedAt: null,
    dueAt: null,
    repeatAt: null,
    failingSince: null,
  },
  ...part,
});
