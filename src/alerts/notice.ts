// What receivers are told: the alerts that one evaluation began and ended, as one notice.

import { randomUUID } from 'node:crypto';
import type { NewNotice, StoredAlert } from '../store/alert-store.ts';
import { type Alert, SEVERITIES } from './alert.ts';
import { runbookOf } from './rules.ts';
import { textOf } from './words.ts';

/** An alert in words; times in ms. */
export interface Told {
  readonly alert: string;
  readonly severity: string;
  /** Of the subject, with `account` where it is about one. */
  readonly labels: Readonly<Record<string, string>>;
  /** Null where it is no number. */
  readonly value: number | null;
  readonly summary: string;
  readonly runbook: string;
  readonly startsAt: number;
  /** Null while it fires. */
  readonly endsAt: number | null;
}

export interface Notice {
  readonly firing: number;
  readonly resolved: number;
  /** The first of them, the most severe first, those that fire before those that are over. */
  readonly alerts: readonly Told[];
}

export type Teller = (alert: StoredAlert) => Told;

/** 500 proxies that fail are one notice that can be read. */
const MAX_TOLD = 100;

export const tellerOf = (alerts: readonly Alert[]): Teller => {
  const known = new Map(alerts.map((alert) => [alert.name, alert]));
  return ({ account, alert: name, severity, value, since, firingSince, endedAt, labels: own }) => {
    const alert = known.get(name);
    const labels = account === '' ? own : { account, ...own };
    return {
      ...{ alert: name, severity, labels, runbook: runbookOf(name) },
      value: Number.isFinite(value) ? value : null,
      // One that another version of the program began has no words any more.
      summary: alert ? textOf(alert.summary, alert.unit, { labels, value }) : name,
      startsAt: firingSince ?? since,
      endsAt: endedAt,
    };
  };
};

export interface Changed {
  readonly now: number;
  readonly fired: readonly StoredAlert[];
  readonly resolved: readonly StoredAlert[];
}

/** The notice for a receiver, if there is anything to tell. */
export const noticesOf = (
  receiver: string,
  { now, fired, resolved }: Changed,
  teller: Teller,
): NewNotice[] => {
  if (fired.length + resolved.length === 0) return [];
  const alerts = [...bySeverity(fired), ...bySeverity(resolved)].slice(0, MAX_TOLD).map(teller);
  const notice: Notice = { firing: fired.length, resolved: resolved.length, alerts };
  return [{ receiver, id: randomUUID(), createdAt: now, body: JSON.stringify(notice) }];
};

export const bySeverity = <T extends { readonly severity: string }>(alerts: readonly T[]): T[] =>
  alerts.toSorted((one, other) => rankOf(one) - rankOf(other));

const RANKS: readonly string[] = SEVERITIES;

const rankOf = ({ severity }: { readonly severity: string }): number => RANKS.indexOf(severity);
