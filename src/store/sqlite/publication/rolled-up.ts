// Finds what of the history is stored in sums of an hour or of a day.

import type { RolledUpHistory } from '../../publication-store.ts';
import type { Database } from '../file/database.ts';

const RESOLUTIONS = `(SELECT 'hourly' AS resolution UNION ALL SELECT 'daily')`;

/** Each subquery finds one row by its index, because a store can have millions of rows. */
const NEWEST_END = `SELECT coalesce(max(until), 0) FROM (
  SELECT (SELECT at + width_ms FROM rolled_up_bucket AS bucket WHERE graph_id = graph.id
    AND bucket.resolution = width.resolution ORDER BY at DESC LIMIT 1) AS until FROM graph, ${RESOLUTIONS} AS width
  UNION ALL
  SELECT (SELECT max(until) FROM user_usage AS period WHERE account_id = account.id
    AND period.resolution = width.resolution) FROM account, ${RESOLUTIONS} AS width)`;

const FIRST_START = `SELECT coalesce(min(start), @at) FROM (
  SELECT (SELECT iif(at + width_ms > @at, at, NULL) FROM rolled_up_bucket AS bucket WHERE graph_id = graph.id
    AND bucket.resolution = width.resolution AND at < @at ORDER BY at DESC LIMIT 1) AS start
  FROM graph, ${RESOLUTIONS} AS width)`;

export const createRolledUp = ({ sql, read }: Database): ((at: number) => RolledUpHistory) => {
  const newestEnd = sql.prepare<[], number>(NEWEST_END).pluck();
  const firstStart = sql.prepare<{ at: number }, number>(FIRST_START).pluck();
  return (at) => read(() => ({ until: newestEnd.get() ?? 0, from: firstStart.get({ at }) ?? at }));
};
