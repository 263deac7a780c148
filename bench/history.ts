// Gives the store of a version a past, as its own maintenance would have kept it.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { Version } from './versions.ts';
import { type DaemonOptions, startDaemon } from './world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Rows by resolution: their width, and their age in days, from and to. The provider itself has the newest 8 days. */
const KEPT = [
  ['hourly', HOUR_MS, 8, 60],
  ['daily', DAY_MS, 60, 400],
] as const;

const SLOTS = `WITH RECURSIVE slot (at) AS
  (SELECT :from UNION ALL SELECT at + :width FROM slot WHERE at + :width < :to)`;
const BUCKETS = `${SLOTS} INSERT OR IGNORE INTO rolled_up_bucket
  (graph_id, resolution, at, width_ms, bytes, requests, successful, failed, concurrency_average, concurrency_max, concurrency_ms)
  SELECT id, :resolution, at, :width, 1e9 + at % 7919, 1e5 + at % 7919, 1e5, at % 7919, 20.5, 60, :width FROM graph, slot`;
/** Minutes that the next maintenance rolls up. */
const MINUTES = `${SLOTS} INSERT OR IGNORE INTO bucket (graph_id, at, bytes, requests, successful, failed)
  SELECT id, at, 1e9 + at % 7919, 1e5 + at % 7919, 1e5, at % 7919 FROM graph, slot`;
const USAGE = `${SLOTS} INSERT OR IGNORE INTO user_usage (account_id, resolution, until, product_type, since, bytes)
  SELECT account.id, :resolution, at + :width, type.value, at, 1e8 + at % 7919
  FROM account, slot, json_each('["residential","mobile"]') AS type`;

export interface Past {
  readonly days: number;
  /** Ten more days are still in minutes, in this number of graphs. */
  readonly minutesOf?: number;
}

/** Lets a daemon create the graphs of its account, ends it, fills in the days before, and returns its folder. */
export const writeHistory = async (
  stack: AsyncDisposableStack,
  version: Version,
  options: DaemonOptions,
  { days, minutesOf }: Past,
): Promise<string> => {
  const daemon = await startDaemon(stack, version, options);
  while (graphsIn(daemon.store) < (minutesOf ?? 5)) await setTimeout(100);
  await daemon.process.killed('SIGTERM');
  using db = new DatabaseSync(daemon.store);
  const midnight = Date.now() - (Date.now() % DAY_MS);
  for (const [resolution, width, first, last] of KEPT) {
    const [from, to] = [midnight - Math.min(days, last) * DAY_MS, midnight - first * DAY_MS];
    if (from < to) for (const sql of [BUCKETS, USAGE]) db.prepare(sql).run({ resolution, width, from, to });
  }
  if (minutesOf !== undefined)
    db.prepare(MINUTES).run({ width: 60_000, from: midnight - 18 * DAY_MS, to: midnight - 8 * DAY_MS });
  return daemon.folder;
};

/** The store has no table of graphs before the daemon has created it. */
const graphsIn = (path: string): number => {
  try {
    using db = new DatabaseSync(path);
    return Number(db.prepare('SELECT count(*) AS count FROM graph').get()?.count);
  } catch {
    return 0;
  }
};
