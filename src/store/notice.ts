// Defines what becomes of the notification about an alert at a receiver. Mutes, filters, explanations and the API share it.

/**
 * `notified`: the receiver accepted the notification.
 * `waiting`: proxywatch queues or sends the notification by itself, at `dueAt` if that is known.
 * `kept_back`: the alert must fire, or fire for longer, or a silence or maintenance window must end.
 * `filtered`: the settings of the receiver reject the alert.
 * `delivery_failing`: the notification waits, because the receiver accepts none.
 * `given_up`: proxywatch does not send the notification any more.
 * `no_alerts`: the receiver gets no alerts.
 * `unknown`: the alert has ended, and the history does not say what became of the notification.
 */
const STATUSES = [
  ...['notified', 'waiting', 'kept_back', 'filtered'],
  ...['delivery_failing', 'given_up', 'no_alerts', 'unknown'],
] as const;
export type NoticeStatus = (typeof STATUSES)[number];

/** Of an alert that is pending or firing. */
export const NOTICE_STATUSES = STATUSES.filter((status) => status !== 'unknown');
/** Of an alert that has ended. */
export const ENDED_STATUSES = STATUSES.filter((status) => status !== 'delivery_failing');
export type EndedStatus = (typeof ENDED_STATUSES)[number];

/** What keeps a notification back, with the status that follows from it. */
export const REASON_STATUSES = {
  ...{ min_severity: 'filtered', accounts: 'filtered', alerts: 'filtered' },
  ...{ pending: 'kept_back', after: 'kept_back', silence: 'kept_back', maintenance: 'kept_back' },
  ...{ group_wait: 'waiting', group_interval: 'waiting', delivery: 'waiting', store_failing: 'waiting' },
  ...{ rejected: 'given_up', dropped: 'given_up' },
} as const satisfies Readonly<Record<string, NoticeStatus>>;

export type ReasonCode = keyof typeof REASON_STATUSES;
export const NOTICE_REASONS = Object.keys(REASON_STATUSES) as ReasonCode[];

/** What keeps a notification or its repetitions back. */
export interface Reason {
  readonly reason: ReasonCode;
  /** When it ends (ms); null if it has no end or the end is unknown. */
  readonly until: number | null;
  /** The id and the comment of a silence. */
  readonly silence: string | null;
  readonly comment: string | null;
  /** Whether the silence also ends when the alert is resolved. */
  readonly untilResolved: boolean;
  /** The name of a maintenance window. */
  readonly maintenance: string | null;
}

export const reasonOf = (code: ReasonCode, part: Partial<Reason> = {}): Reason => ({
  ...{ reason: code, until: null, silence: null, comment: null, untilResolved: false },
  maintenance: null,
  ...part,
});

/** Times are in ms; null if they are unknown or there is none. */
export interface NoticeState {
  readonly status: Exclude<NoticeStatus, 'unknown'>;
  /** Empty if nothing keeps the notification back, or nothing but the daemon's next tick. */
  readonly reasons: readonly Reason[];
  /** When the receiver accepted the notification that says that the alert fires. */
  readonly notifiedAt: number | null;
  readonly queuedAt: number | null;
  /** When the notification will be queued if nothing changes until then. */
  readonly dueAt: number | null;
  /** When a notification will name the alert again, unless the receiver is notified of its group before. */
  readonly repeatAt: number | null;
  /** Since when the receiver has accepted nothing. */
  readonly failingSince: number | null;
}

/** Without a status, it is that of the first reason. Without a reason, the notification waits only for the next tick. */
export const noticeState = ({ reasons = [], ...part }: Partial<NoticeState>): NoticeState => ({
  ...{ status: reasons[0] ? REASON_STATUSES[reasons[0].reason] : 'waiting', reasons },
  ...{ notifiedAt: null, queuedAt: null, dueAt: null, repeatAt: null, failingSince: null },
  ...part,
});

export interface Notice extends NoticeState {
  readonly receiver: string;
  /** The type of the receiver. */
  readonly type: string;
  /** Says the same in a sentence. */
  readonly text: string;
}

/** What became of the notification about an alert that has ended. */
export interface EndedNotice extends Pick<Notice, 'receiver' | 'text'> {
  /** The type of the receiver; null if the configuration no longer has it. */
  readonly type: string | null;
  readonly status: EndedStatus;
}

/** Why an alert is not active. */
export const INACTIVE_STATUSES = [
  'evaluation_off',
  'prometheus_only',
  'disabled',
  'collector_off',
  'evaluation_failed',
  'not_evaluated',
  'suppressed',
  'condition_false',
] as const;

/** A subject for which the condition of an alert holds although broader alerts suppress it. */
export interface SuppressedSubject {
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the alerts that suppress it. */
  readonly suppressedBy: readonly string[];
}

export interface InactiveAlert {
  /** Null if the alert is about the daemon, or if the reason does not depend on the account. */
  readonly account: string | null;
  readonly status: (typeof INACTIVE_STATUSES)[number];
  /** Says the same in a sentence. */
  readonly text: string;
  /** The first subjects that other alerts suppress. */
  readonly suppressed: readonly SuppressedSubject[];
}
