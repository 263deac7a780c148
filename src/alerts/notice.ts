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
  readonly fired: readonly StoredAlert[];
  readonly resolved: readonly StoredAlert[];
}

/** The notice of an evaluation to each receiver: a single one, which grows with each slice. */
export class Draft {
  readonly #now: number;
  readonly #teller: Teller;
  /** By receiver. */
  readonly #ids: readonly (readonly [receiver: string, id: string])[];
  #firing = 0;
  #resolved = 0;
  #first: Changed = { fired: [], resolved: [] };

  constructor(now: number, receivers: readonly string[], teller: Teller) {
    this.#now = now;
    this.#teller = teller;
    this.#ids = receivers.map((receiver) => [receiver, randomUUID()]);
  }

  /** The notices including the slice; none if it has nothing to report. */
  with({ fired, resolved }: Changed): NewNotice[] {
    if (fired.length + resolved.length === 0 || this.#ids.length === 0) return [];
    this.#firing += fired.length;
    this.#resolved += resolved.length;
    this.#first = {
      fired: mostSevere([...this.#first.fired, ...fired], MAX_TOLD),
      resolved: mostSevere([...this.#first.resolved, ...resolved], MAX_TOLD),
    };
    const body = JSON.stringify(this.#notice());
    return this.#ids.map(([receiver, id]) => ({ receiver, id, createdAt: this.#now, body }));
  }

  #notice(): Notice {
    const { fired, resolved } = this.#first;
    const alerts = [...fired, ...resolved].slice(0, MAX_TOLD).map(this.#teller);
    return { firing: this.#firing, resolved: this.#resolved, alerts };
  }
}

const RANKS: readonly string[] = SEVERITIES;

/** The first ones, the most severe first, without sorting all of many thousands. */
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
