// The counter table: one mechanism for everything that is counted from rows the provider revises.

import type { Counter } from '../counter.ts';
import { grown } from '../counter.ts';
import type { Database } from './file/database.ts';

export interface Counters {
  /** Makes the counters exist, at 0 and shown as that until `heldUntil` (ms). Inside a transaction. */
  create(owner: string, names: readonly string[], heldUntil: number): void;
  /**
   * Adds growth, up or down, to counters, making those that don't exist. Inside a transaction, once for all of
   * its rows: else what is served would depend on their order.
   */
  grow(owner: string, growth: Readonly<Record<string, number>>, heldUntil: number): void;
  find(owner: string, name: string): Counter | undefined;
  of<N extends string>(owner: string, names: readonly N[]): Record<N, Counter>;
}

const NEVER: Counter = { net: 0, served: 0, heldUntil: Number.POSITIVE_INFINITY };

export const createCounters = ({ sql }: Database): Counters => {
  const insert = sql.prepare('INSERT INTO counter VALUES (?, ?, 0, 0, ?) ON CONFLICT DO NOTHING');
  const read = sql.prepare<[string, string], Counter>(
    'SELECT net, served, held_until AS heldUntil FROM counter WHERE owner = ? AND name = ?',
  );
  const update = sql.prepare('UPDATE counter SET net = ?, served = ? WHERE owner = ? AND name = ?');

  const create: Counters['create'] = (owner, names, heldUntil) => {
    for (const name of names) insert.run(owner, name, heldUntil);
  };
  const grow: Counters['grow'] = (owner, growth, heldUntil) => {
    create(owner, Object.keys(growth), heldUntil);
    for (const [name, by] of Object.entries(growth)) {
      if (by === 0) continue;
      const { net, served } = grown(read.get(owner, name) ?? NEVER, by);
      update.run(net, served, owner, name);
    }
  };
  const of = <N extends string>(owner: string, names: readonly N[]): Record<N, Counter> => {
    const counters = names.map((name) => [name, read.get(owner, name) ?? NEVER]);
    return Object.fromEntries(counters) as Record<N, Counter>;
  };
  return { create, grow, find: (owner, name) => read.get(owner, name), of };
};
