// Builds the notification about an evaluation: the alerts that began to fire and the alerts that ended.

import { randomUUID } from 'node:crypto';
import type { NewNotification, StoredAlert } from '../store/alert-store.ts';
import { type Alert, SEVERITIES } from './alert.ts';
import { renderSummary } from './summary.ts';

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
  /** All alerts of the group that fire for the receiver, those told before included. */
  readonly firing: number;
  /** Of these, how many this notification tells for the first time. */
  readonly added: number;
  /** Told alerts that ended since the last notification. */
  readonly resolved: number;
  /** Up to 100: added ones, then resolved ones, then the other firing ones; within each the most severe first. */
  readonly alerts: readonly AlertDescription[];
}

/** Reads the body of a queued notification. Earlier versions queued notifications without groups. */
export const notificationOf = (body: string): NotificationContent => {
  const content = JSON.parse(body) as Pick<NotificationContent, 'firing' | 'resolved' | 'alerts'>;
  return { groupKey: '', groupLabels: {}, added: content.firing, ...content };
};

export type AlertDescriber = (alert: StoredAlert) => AlertDescription;

/** The most alerts that a notification lists, so that one about 500 failing proxies stays readable. */
const MAX_LISTED_ALERTS = 100;

export const alertDescriber = (alerts: readonly Alert[]): AlertDescriber => {
  const known = new Map(alerts.map((alert) => [alert.name, alert]));
  return ({ account, alert: name, severity, value, since, firingSince, endedAt, labels: own }) => {
    const alert = known.get(name);
    const labels = account === '' ? own : { account, ...own };
    return {
      ...{ alert: name, severity, labels },
      value: Number.isFinite(value) ? value : null,
      // An alert that another version of proxywatch stored can be unknown to this version. Then it has no summary.
      summary: alert ? renderSummary(alert.summary, alert.unit, { labels, value }) : name,
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

/** The notification of one evaluation for each receiver. It grows with each slice and keeps its id. */
export class NotificationDraft {
  readonly #now: number;
  readonly #describe: AlertDescriber;
  readonly #idsByReceiver: readonly (readonly [receiver: string, id: string])[];
  #firing = 0;
  #resolved = 0;
  #first: AlertTransitions = { fired: [], resolved: [] };

  constructor(now: number, receivers: readonly string[], describe: AlertDescriber) {
    this.#now = now;
    this.#describe = describe;
    this.#idsByReceiver = receivers.map((receiver) => [receiver, randomUUID()]);
  }

  /** Adds a slice and returns the notifications so far; none if the slice has nothing to report. */
  add({ fired, resolved }: AlertTransitions): NewNotification[] {
    if (fired.length + resolved.length === 0 || this.#idsByReceiver.length === 0) return [];
    this.#firing += fired.length;
    this.#resolved += resolved.length;
    this.#first = {
      fired: mostSevere([...this.#first.fired, ...fired], MAX_LISTED_ALERTS),
      resolved: mostSevere([...this.#first.resolved, ...resolved], MAX_LISTED_ALERTS),
    };
    const body = JSON.stringify(this.#content());
    return this.#idsByReceiver.map(([receiver, id]) => ({ receiver, id, createdAt: this.#now, body }));
  }

  #content(): NotificationContent {
    const { fired, resolved } = this.#first;
    const alerts = [...fired, ...resolved].slice(0, MAX_LISTED_ALERTS).map(this.#describe);
    const counts = { firing: this.#firing, added: this.#firing, resolved: this.#resolved };
    return { groupKey: '', groupLabels: {}, ...counts, alerts };
  }
}

const RANKS: readonly string[] = SEVERITIES;

/** Returns the first `count` alerts, the most severe first, without sorting thousands of alerts. */
export const mostSevere = <T extends { readonly severity: string }>(
  alerts: readonly T[],
  count: number,
): T[] => {
  const found: T[] = [];
  for (const severity of RANKS) {
    for (const alert of alerts) {
      if (found.length >= count) return found;
      if (alert.severity === severity) found.push(alert);
    }
  }
  return found;
};
