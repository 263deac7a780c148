// Fills the store of a daemon that is stopped with a history, as its own maintenance would have kept it.

import Database from 'better-sqlite3';
import { DAY, HOUR } from '../src/lib/time.ts';

/** The default retention. The provider itself still has the newest 8 days, which the daemon reads. */
const RESOLUTIONS = [
  { resolution: 'hourly', width: HOUR, firstDay: 8, lastDay: 60 },
  { resolution: 'daily', width: DAY, firstDay: 60, lastDay: 400 },
];
const PRODUCT_TYPES = ['residential', 'mobile'];

const SLOTS = `WITH RECURSIVE slot (at) AS
  (SELECT :from UNION ALL SELECT at + :width FROM slot WHERE at + :width < :to)`;
const BUCKETS = `${SLOTS} INSERT OR IGNORE INTO rolled_up_bucket
  (graph_id, resolution, at, width_ms, bytes, requests, successful, failed, concurrency_average, concurrency_max, concurrency_ms)
  SELECT id, :resolution, at, :width, 1e9 + at % 7919, 1e5 + at % 7919, 1e5, at % 7919, 20.5, 60, :width FROM graph, slot`;
const USAGE = `${SLOTS} INSERT OR IGNORE INTO user_usage (account_id, resolution, until, product_type, since, bytes)
  SELECT id, :resolution, at + :width, :product_type, at, 1e8 + at % 7919 FROM account, slot`;

/** Adds what `days` days leave behind: buckets of all graphs, and the growth of the users' bytes. */
export const storeDays = (path: string, days: number): void => {
  const db = new Database(path);
  const midnight = Date.now() - (Date.now() % DAY);
  for (const { resolution, width, firstDay, lastDay } of RESOLUTIONS) {
    const slots = {
      resolution,
      width,
      from: midnight - Math.min(days, lastDay) * DAY,
      to: midnight - firstDay * DAY,
    };
    if (slots.from >= slots.to) continue;
    db.prepare(BUCKETS).run(slots);
    for (const product_type of PRODUCT_TYPES) db.prepare(USAGE).run({ ...slots, product_type });
  }
  db.close();
};
