// Counts use by network, by the top users and host names, and by all others. A name that joins or leaves the top starts or stops
// its own counter, and moves nothing between counters, so that none falls.

import { DAY } from '../../../lib/time.ts';
import type { Counter } from '../../counter.ts';
import {
  TOP_KINDS,
  type TopKind,
  USE_COUNTERS,
  type UseCounter,
  type UseCounterGroup,
  type UsePassEnd,
} from '../../log-summary-store.ts';
import type { UseValues } from '../../summarised-names.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import type { UseNames } from './rows.ts';

type Growth = Map<string, number[]>;
/** The end of a counter's owner: the network alone, or with a kind, or with a kind and a name. */
type OwnerParts = readonly [network: string] | readonly [network: string, kind: TopKind, name?: string];

interface StoredCounter extends Counter {
  readonly owner: string;
  readonly name: UseCounter;
}

export const createUseCounters = (db: Database, names: UseNames) => {
  const { sql } = db;
  const counters = createCounters(db);
  const topNames = db.prepareValue<[number, string], string>(
    'SELECT name FROM log_summary_top WHERE account_id = ? AND kind = ? AND left_day IS NULL ORDER BY name',
  );
  const join = sql.prepare(
    `INSERT INTO log_summary_top (account_id, kind, name) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET left_day = NULL`,
  );
  const leave = sql.prepare(
    'UPDATE log_summary_top SET left_day = ? WHERE account_id = ? AND kind = ? AND name = ?',
  );
  const longGone = db.prepareValue<[number, string, number], string>(
    'SELECT name FROM log_summary_top WHERE account_id = ? AND kind = ? AND left_day < ?',
  );
  const forget = sql.prepare('DELETE FROM log_summary_top WHERE account_id = ? AND kind = ? AND name = ?');
  const deleteCounters = sql.prepare(
    `DELETE FROM counter WHERE owner > @prefix AND owner < @prefix || '~'
       AND substr(owner, length(@prefix) + 1) ->> 1 = @kind AND substr(owner, length(@prefix) + 1) ->> 2 = @name`,
  );
  const stored = sql.prepare<[string, string], StoredCounter>(
    `SELECT owner, name, net, served, held_until AS heldUntil FROM counter WHERE owner > ? AND owner < ?
     ORDER BY owner, name`,
  );
  let growth: Growth = new Map();

  const add = (key: string, by: UseValues): void => {
    const sum = growth.get(key) ?? USE_COUNTERS.map(() => 0);
    growth.set(
      key,
      sum.map((value, i) => value + (by[i] ?? 0)),
    );
  };

  /** Returns the top names of a kind. Names with new use join them while there is room. */
  const topOf = (accountId: number, kind: TopKind, limit: number): Set<string> => {
    const top = new Set(topNames.all(accountId, kind));
    const growing = [...growth].filter(([key, [bytes = 0]]) => key.startsWith(`${kind} `) && bytes > 0);
    for (const [key] of growing.sort(([, a], [, b]) => (b[0] ?? 0) - (a[0] ?? 0))) {
      const name = names.textOf(Number(key.split(' ')[2]));
      if (top.size >= limit) break;
      if (top.has(name) || !hasCounter(name)) continue;
      join.run(accountId, kind, name);
      top.add(name);
    }
    return top;
  };

  return {
    /** Notes the growth of a row until it is stored. */
    note: (network: number, of: Readonly<Record<TopKind, number>>, by: UseValues): void => {
      add(`network ${network}`, by);
      for (const kind of TOP_KINDS) add(`${kind} ${network} ${of[kind]}`, by);
    },
    /** Adds the noted growth to the counters. Inside a transaction. */
    store: (accountId: number, { top }: Pick<UsePassEnd, 'top'>, heldUntil: number): void => {
      const sums: Growth = new Map();
      const tops = Object.fromEntries(
        TOP_KINDS.map((kind) => [kind, topOf(accountId, kind, top[kind])]),
      ) as Record<TopKind, Set<string>>;
      for (const [key, by] of growth) {
        const [kind = '', network, id] = key.split(' ');
        const name = id === undefined ? undefined : names.textOf(Number(id));
        const owner = ownerOf(accountId, partsOf(names.textOf(Number(network)), kind, name, tops));
        sums.set(
          owner,
          (sums.get(owner) ?? by.map(() => 0)).map((value, i) => value + (by[i] ?? 0)),
        );
      }
      for (const [owner, by] of sums)
        counters.grow(
          owner,
          Object.fromEntries(USE_COUNTERS.map((name, i) => [name, by[i] ?? 0])),
          heldUntil,
        );
      growth = new Map();
    },
    forget: (): void => {
      growth = new Map();
    },
    topNames: (accountId: number, kind: TopKind): string[] => topNames.all(accountId, kind),
    /** Replaces the top names. Those that leave on `day` keep their counters for a return. Inside a transaction. */
    replaceTop: (accountId: number, kind: TopKind, chosen: readonly string[], day: number): void => {
      const before = topNames.all(accountId, kind);
      for (const name of before) if (!chosen.includes(name)) leave.run(day, accountId, kind, name);
      for (const name of chosen) if (!before.includes(name)) join.run(accountId, kind, name);
      for (const name of longGone.all(accountId, kind, day - KEPT_MS)) {
        deleteCounters.run({ prefix: ownerOf(accountId, []), kind, name });
        forget.run(accountId, kind, name);
      }
    },
    all: (accountId: number): UseCounterGroup[] => {
      const prefix = ownerOf(accountId, []);
      const tops = Object.fromEntries(
        TOP_KINDS.map((kind) => [kind, new Set(topNames.all(accountId, kind))]),
      );
      const byOwner = Map.groupBy(stored.all(prefix, `${prefix}~`), ({ owner }) => owner);
      return [...byOwner].flatMap(([owner, rows]) => {
        const [network, kind, name] = JSON.parse(owner.slice(prefix.length)) as [string, TopKind?, string?];
        if (name !== undefined && !tops[kind ?? '']?.has(name)) return [];
        return {
          network,
          of: kind === undefined ? null : { kind, name: name ?? null },
          counters: Object.fromEntries(rows.map(({ name: counter, ...values }) => [counter, values])),
        };
      });
    },
  };
};

export type UseCounters = ReturnType<typeof createUseCounters>;

/** A name that leaves the top keeps its counters for this long, in case that it returns. Prometheus no longer has its series then. */
const KEPT_MS = 8 * DAY;

/** Names that look like those of all others count with these. */
const RESERVED = ['other', 'unknown'];
export const hasCounter = (name: string): boolean => !RESERVED.includes(name);

const ownerOf = (accountId: number, parts: OwnerParts | readonly []): string =>
  `usage/${accountId}/${parts.length === 0 ? '' : JSON.stringify(parts)}`;

const partsOf = (
  network: string,
  kind: string,
  name: string | undefined,
  tops: Readonly<Record<TopKind, ReadonlySet<string>>>,
): OwnerParts => {
  if (name === undefined) return [network];
  const top = kind as TopKind;
  return tops[top].has(name) ? [network, top, name] : [network, top];
};
