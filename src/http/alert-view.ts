// Defines the interface through which the HTTP server reads and silences alerts, and explains their notifications.

import type { LazyItem } from '../collectors/proxy-tests/summaries.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { EndedNotice, InactiveAlert, Notice } from '../store/notice.ts';
import type { Silence, SilenceRequest } from '../store/silence-store.ts';

/** Times are milliseconds since the epoch. */
export interface ActiveAlert {
  readonly alert: string;
  readonly severity: string;
  /** Have `account`, unless the alert is about the daemon itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** When its condition began to hold. */
  readonly since: number;
  /** Null while it is pending. */
  readonly firingSince: number | null;
  /** Null if it is not a number. */
  readonly value: number | null;
  readonly summary: string;
  /** Says what it means, what happens next, and what to check first. Null for an alert that this version does not know. */
  readonly description: string | null;
  /** The URL of its documentation; null if the configuration does not have the documentation's address. */
  readonly runbook: string | null;
  /** Until when no receiver is notified about it, except Alertmanagers; null if it is not silenced. */
  readonly silencedUntil: number | null;
  /** What silences it now. */
  readonly silencedBy: readonly SilenceSource[];
}

/** The id and the comment of a silence, or the name of a maintenance window. */
export interface SilenceSource {
  readonly silence: string | null;
  readonly comment: string | null;
  readonly maintenance: string | null;
}

export interface AlertCount {
  /** Without silenced ones. */
  readonly firing: number;
  readonly silenced: number;
  readonly pending: number;
  /** The worst severity of the firing alerts. */
  readonly worstSeverity: ActiveAlert['severity'] | null;
}

/** The pending and firing alerts. Their texts are formatted one by one, because there may be many. */
export interface AlertView {
  /** Whether the daemon evaluates alerts itself. */
  readonly isEvaluated: boolean;
  /** When the daemon last evaluated them (ms); null before the first evaluation since its start. */
  readonly evaluatedAt: number | null;
  /** Counts the alerts of one account ('' for the daemon's own), or all. */
  count(account?: string): AlertCount;
  /** The first `limit` firing alerts. */
  firing(limit: number): readonly ActiveAlert[];
  /** Rises whenever the alerts change. */
  readonly revision: number;
  /** The alerts of the account ('' for the daemon's own), without their texts. */
  items(account: string): Iterable<ListedAlert>;
  /** Returns the alert with this id of the list, with its texts; undefined if it has ended. */
  find(account: string, id: string): ActiveAlert | undefined;
  /** Until when silences and maintenance windows silence the alert (ms); null if none matches it now. */
  silencedUntil(account: string, id: string): number | null;
}

export interface ListedAlert
  extends Pick<StoredAlert, 'account' | 'alert' | 'labels' | 'severity' | 'since' | 'firingSince'> {
  readonly id: string;
  readonly isFiring: boolean;
}

/** Silences and maintenance windows. */
export interface SilenceView {
  /** All silences, in the order in which they begin. */
  list(): readonly SilenceStatus[];
  windows(): readonly WindowStatus[];
  /** Returns the stored silence, or why it is refused. Throws StoreError. */
  add(request: SilenceRequest): Promise<AddedSilence | SilenceRefusal>;
  /** Returns whether there was a silence with this id. Throws StoreError. */
  remove(id: string): Promise<boolean>;
}

export interface SilenceStatus extends Silence {
  readonly state: 'pending' | 'active' | 'expired';
}

export interface AddedSilence extends SilenceStatus {
  /** How many pending and firing alerts it matches now. */
  readonly matchingAlerts: number;
  /** Names of the receivers that get its alerts nevertheless, because an Alertmanager has silences of its own. */
  readonly unsilencedReceivers: readonly string[];
}

/** Says what is wrong with a request, or that silences have no effect. */
export interface SilenceRefusal {
  readonly refusal: string;
}

/** A maintenance window. Times are milliseconds since the epoch. */
export interface WindowStatus {
  readonly name: string;
  /** Null is every day. */
  readonly days: readonly string[] | null;
  /** ms since midnight. */
  readonly hours: { readonly from: number; readonly to: number };
  readonly timeZone: string;
  /** Null is all accounts, and the daemon itself. */
  readonly accounts: readonly string[] | null;
  /** Null is all alerts. */
  readonly alerts: readonly string[] | null;
  /** Null while it is not in effect; a month ahead if it never ends. */
  readonly activeUntil: number | null;
  /** Null while it is in effect. */
  readonly nextStartAt: number | null;
}

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
