// Stores counters of rows that the provider revises, in one table for all collectors.

import { type Counter, withGrowth } from '../counter.ts';
import type { Database } from './file/database.ts';

export const NO_COUNTER: Counter = { net: 0, served: 0, heldUntil: Number.POSITIVE_INFINITY };

export const createCounters = ({ sql }: Database) => {
  const insert = sql.prepare('INSERT INTO counter VALUES (?, ?, 0, 0, ?) ON CONFLICT DO NOTHING');
  const read = sql.prepare<[string, string], Counter>(
    'SELECT net, served, held_until AS heldUntil FROM counter WHERE owner = ? AND name = ?',
  );
  const update = sql.prepare('UPDATE counter SET net = ?, served = ? WHERE owner = ? AND name = ?');

  /** Creates the counters at 0, unless they exist. They show 0 until `heldUntil` (ms). Inside a transaction. */
  const create = (owner: string, names: readonly string[], heldUntil: number): void => {
    for (const name of names) insert.run(owner, name, heldUntil);
  };
  /**
   * Adds positive or negative growth to counters and creates missing ones. Inside a transaction, once for all of its
   * rows: otherwise `served` would depend on their order.
   */
  const grow = (owner: string, growth: Readonly<Record<string, number>>, heldUntil: number): void => {
    create(owner, Object.keys(growth), heldUntil);
    for (const [name, by] of Object.entries(growth)) {
      if (by === 0) continue;
      const { net, served } = withGrowth(read.get(owner, name) ?? NO_COUNTER, by);
      update.run(net, served, owner, name);
    }
  };
  const of = <N extends string>(owner: string, names: readonly N[]): Record<N, Counter> => {
    const counters = names.map((name) => [name, read.get(owner, name) ?? NO_COUNTER]);
    return Object.fromEntries(counters) as Record<N, Counter>;
  };
  return { create, grow, find: (owner: string, name: string) => read.get(owner, name), of };
};
