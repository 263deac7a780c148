// Defines what the HTTP server reads to explain why receivers were notified of an alert, or not.

import type { LazyItem } from '../collectors/proxy-tests/summaries.ts';
import type { EndedNotice, InactiveAlert, Notice } from '../store/notice.ts';
import type { ActiveAlert } from './active-alert.ts';

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
  readonly receivers: readonly EndedNotice[];
}

export interface ExplainedAlert {
  readonly alert: ActiveAlert;
  /** In the order of the configuration. */
  readonly receivers: readonly Notice[];
}
