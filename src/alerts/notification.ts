// Defines the content of notifications and reports, which have queues of their own, and logs alerts that began or ended.

import type { Log } from '../lib/log.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import { type Alert, SEVERITIES } from './alert.ts';
import { renderSummary } from './summary.ts';

/** `data` is the JSON that the API answers. */
export interface ReportMessage {
  readonly title: string;
  /** The most important lines, for chats. */
  readonly lines: readonly string[];
  /** The whole report, for emails. */
  readonly text: string;
  readonly data: object;
}

/** The names are those of the stored JSON. */
export interface ReportContent {
  /** The account and the period, as JSON. */
  readonly groupKey: string;
  readonly report: ReportMessage;
}

/** Returns the name of the queue with the reports for a receiver. No receiver can have this name. */
export const reportQueueOf = (receiver: string): string => `${receiver}/report`;

/** The fields of an alert in notifications and in the API. Times are in ms. The names are those of the stored JSON. */
export interface AlertDescription {
  readonly alert: string;
  readonly severity: string;
  /** Labels of the subject, with `account` unless the alert is about the daemon. */
  readonly labels: Readonly<Record<string, string>>;
  /** Null if it is not a finite number. */
  readonly value: number | null;
  readonly summary: string;
  readonly startsAt: number;
  /** Null while it fires. */
  readonly endsAt: number | null;
}

/** The names are those of the stored JSON. */
export interface NotificationContent {
  /** Identifies the group at this receiver, also after a restart: JSON of the group's labels, sorted by name. */
  readonly groupKey: string;
  readonly groupLabels: Readonly<Record<string, string>>;
  /** All alerts of the group that fire for the receiver, those notified of before included, without silenced ones. */
  readonly firing: number;
  /** Alerts notified of before that still fire, but are silenced. */
  readonly silenced: number;
  /** Of these, how many this notification names for the first time. */
  readonly added: number;
  /** Of the others, how many have passed a further step since the last notification. */
  readonly risen: number;
  /** Alerts notified of before that ended since the last notification. */
  readonly resolved: number;
  /** Up to 100: added ones, then risen ones, then resolved ones, then the other firing ones; within each the most severe first. */
  readonly alerts: readonly AlertDescription[];
}

/** Reads the body of a queued notification. Earlier versions queued notifications without groups. */
export const notificationOf = (body: string): NotificationContent | ReportContent => {
  const content = JSON.parse(body) as
    | Pick<NotificationContent, 'firing' | 'resolved' | 'alerts'>
    | ReportContent;
  if ('report' in content) return content;
  return { groupKey: '', groupLabels: {}, added: content.firing, risen: 0, silenced: 0, ...content };
};

export type AlertDescriber = (alert: StoredAlert) => AlertDescription;

/** `reasonOf` returns the reason of a finding that still holds. */
export const alertDescriber = (
  alerts: readonly Alert[],
  reasonOf: (alert: StoredAlert) => string | undefined = () => undefined,
): AlertDescriber => {
  const known = new Map(alerts.map((alert) => [alert.name, alert]));
  return (stored) => {
    const { account, alert: name, severity, value, since, firingSince, endedAt, labels: own } = stored;
    const alert = known.get(name);
    const labels = account === '' ? own : { account, ...own };
    return {
      ...{ alert: name, severity, labels },
      value: Number.isFinite(value) ? value : null,
      // An alert that another version of proxywatch stored can be unknown to this version. Then it has no summary.
      summary: alert
        ? renderSummary(alert.summary, alert.unit, { labels, value, reason: reasonOf(stored) ?? '' })
        : name,
      startsAt: firingSince ?? since,
      endsAt: endedAt,
    };
  };
};

/** The alerts that began to fire, and the alerts that ended. */
export interface AlertTransitions {
  readonly fired: readonly StoredAlert[];
  readonly resolved: readonly StoredAlert[];
}

const RANKS: readonly string[] = SEVERITIES;

/** Returns the first `count` alerts, the most severe first, without sorting thousands of alerts. */
const mostSevere = <T extends { readonly severity: string }>(alerts: readonly T[], count: number): T[] => {
  const found: T[] = [];
  for (const severity of RANKS) {
    for (const alert of alerts) {
      if (found.length >= count) return found;
      if (alert.severity === severity) found.push(alert);
    }
  }
  return found;
};

/** The most lines for one evaluation, so that 500 proxies that fail together do not flood the log. */
const MAX_LINES = 20;

export const logTransitions = (
  log: Log,
  { fired, resolved }: AlertTransitions,
  describe: AlertDescriber,
): void => {
  const first = [...mostSevere(fired, MAX_LINES), ...mostSevere(resolved, MAX_LINES)].slice(0, MAX_LINES);
  for (const alert of first) {
    const { alert: name, severity, labels, summary, endsAt } = describe(alert);
    log[endsAt === null ? levelOf(severity) : 'info'](
      { alert: name, severity, ...labels },
      `alert ${endsAt === null ? 'firing' : 'resolved'}: ${summary}`,
    );
  }
  const more = fired.length + resolved.length - first.length;
  // The list begins with the most severe ones, so what it leaves out is no more severe than its last firing alert.
  const level = fired.length > MAX_LINES ? levelOf(first.at(-1)?.severity ?? '') : 'info';
  if (more > 0)
    log[level](
      { firing: fired.length, resolved: resolved.length },
      `${more} more alerts fire or are resolved`,
    );
};

/** A severity of another version counts as a warning. */
const levelOf = (severity: string): 'error' | 'warn' | 'info' =>
  severity === 'critical' ? 'error' : severity === 'info' ? 'info' : 'warn';
