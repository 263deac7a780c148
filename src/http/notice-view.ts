// Defines what the HTTP server reads to explain why receivers were notified of an alert, or not.

import type { LazyItem } from '../collectors/proxy-tests/summaries.ts';
import type { ActiveAlert } from './active-alert.ts';

export const NOTICE_STATUSES = [
  'notified',
  'waiting',
  'kept_back',
  'filtered',
  'delivery_failing',
  'given_up',
  'no_alerts',
] as const;

export const NOTICE_REASONS = [
  'min_severity',
  'accounts',
  'alerts',
  'pending',
  'after',
  'silence',
  'maintenance',
  'group_wait',
  'group_interval',
  'delivery',
  'store_failing',
  'rejected',
  'dropped',
] as const;

export const ENDED_STATUSES = [
  'notified',
  'waiting',
  'kept_back',
  'filtered',
  'given_up',
  'no_alerts',
  'unknown',
] as const;

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

export interface NoticeRequest {
  readonly alert: string;
  /** Empty for all accounts. */
  readonly accounts: readonly string[];
  /** The value of a label, or `label=value`; null for every subject. */
  readonly subject: string | null;
}

export interface NoticeView {
  /** Returns the answer's parts, or what is wrong with the request. */
  find(request: NoticeRequest): NoticeQuery | NoticeRefusal;
}

export interface NoticeRefusal {
  readonly refusal: string;
}

export interface NoticeQuery {
  readonly isEvaluated: boolean;
  /** The accounts to list; '' for the daemon itself. */
  readonly accounts: readonly string[];
  /** Up to `limit` pending and firing alerts of the account after the one with the id `after`, ordered by id. */
  list(account: string, after: string | null, limit: number): Promise<readonly LazyItem<ExplainedAlert>[]>;
  /** What is wrong with the request if no alert matches; null if nothing is. */
  readonly subjectMistake: string | null;
  /** How many pending and firing alerts match. */
  count(): Promise<number>;
  /** Why no alert is active, for each account that has none. */
  inactive(): Promise<readonly InactiveAlert[]>;
  /** The newest matching alert that has ended; null if an alert is active, or the history has none. */
  lastEnded(): Promise<EndedAlert | null>;
}

export interface EndedAlert {
  readonly alert: string;
  readonly severity: string;
  /** With `account`, unless the alert is about the daemon itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** ms. */
  readonly firingSince: number;
  readonly endedAt: number;
  readonly receivers: readonly {
    readonly receiver: string;
    readonly type: string | null;
    readonly status: (typeof ENDED_STATUSES)[number];
    readonly text: string;
  }[];
}

export interface ExplainedAlert {
  readonly alert: ActiveAlert;
  /** In the order of the configuration. */
  readonly receivers: readonly Notice[];
}

/** Times are in ms; null if they are unknown or there is none. */
export interface Notice {
  readonly receiver: string;
  readonly type: string;
  readonly status: (typeof NOTICE_STATUSES)[number];
  readonly reasons: readonly NoticeReason[];
  readonly notifiedAt: number | null;
  readonly queuedAt: number | null;
  readonly dueAt: number | null;
  readonly repeatAt: number | null;
  readonly failingSince: number | null;
  readonly text: string;
}

export interface NoticeReason {
  readonly reason: (typeof NOTICE_REASONS)[number];
  readonly until: number | null;
  readonly silence: string | null;
  readonly comment: string | null;
  readonly maintenance: string | null;
}

export interface InactiveAlert {
  readonly account: string | null;
  readonly status: (typeof INACTIVE_STATUSES)[number];
  readonly text: string;
  readonly suppressed: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly suppressedBy: readonly string[];
  }[];
}
