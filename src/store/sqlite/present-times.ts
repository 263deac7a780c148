// Times that a clock far ahead left in the store, brought to the present once the clock is right again.

import { MINUTE } from '../../lib/time.ts';
import type { Database } from './database.ts';

/** A clock may be set back a little, which times that move forward only sit out. */
const TOLERANCE_MS = MINUTE;

/**
 * A time of a graph that no traffic tells of: a clock was ahead. Where there is traffic since, it is the present clock
 * that is behind, as on a machine that has not asked for the time yet, and history before it must not count. What the
 * provider says of minutes to come are zeros.
 */
const untold = (column: string): string =>
  `${column} > @now AND NOT EXISTS (
    SELECT 1 FROM bucket WHERE graph_id = graph.id AND at >= ${column} AND (bytes > 0 OR requests > 0))`;

const ROLLED_UP = `coalesce(
  (SELECT max(at + width_ms) FROM old_bucket WHERE graph_id = graph.id AND at <= @now), 0)`;
/** A graph whose history would only begin in the future. */
const BEGINS_AHEAD = `${untold('floor')} AND floor > ${ROLLED_UP}`;

/** The newest time of all that is written when something is read or asked. */
const NEWEST = `SELECT max(at) FROM (
  SELECT max(finished_at) AS at FROM run UNION ALL SELECT max(stored_at) FROM listing
  UNION ALL SELECT max(counted_at) FROM listing UNION ALL SELECT max(read_at) FROM graph
  UNION ALL SELECT max(floor) FROM graph WHERE ${BEGINS_AHEAD})`;

/**
 * A hold that moves with the time it is held against, `storedAt`: what was shown is shown still, and what was held
 * is for no longer than a new counter. Of neither a counter falls.
 */
const heldBack = (storedAt: string): string =>
  `held_until = min(held_until - max(0, coalesce((${storedAt}), 0) - @now), @now + @hold)`;

const storedAtOf = (collector: string, accountId: string): string =>
  `SELECT stored_at FROM listing WHERE collector = ${collector} AND account_id = ${accountId}`;

const HELD_TESTS = ['test_cells', 'url_tester', 'test_failure', 'test_error'].map(
  (table) => `UPDATE ${table} SET ${heldBack(storedAtOf("'proxy_tests'", `${table}.account_id`))}`,
);

const toPresent = (table: string, ...columns: readonly string[]): string[] =>
  columns.map((column) => `UPDATE ${table} SET ${column} = @now WHERE ${column} > @now`);

/** Holds before the times that they are held against. */
const STEPS: readonly string[] = [
  // Owners are graph/<id>, or begin with a collector, ledger for short, and the account.
  `UPDATE counter SET ${heldBack(`CASE WHEN owner LIKE 'graph/%' THEN (SELECT read_at FROM graph WHERE owner = 'graph/' || id)
    ELSE (${storedAtOf(
      "iif(owner LIKE 'ledger/%', 'residential_ledger', substr(owner, 1, instr(owner, '/') - 1))",
      "CAST(substr(owner, instr(owner, '/') + 1) AS INTEGER)",
    )}) END`)}`,
  `UPDATE proxy_user SET ${heldBack(storedAtOf("'proxy_users'", 'proxy_user.account_id'))} WHERE held_until > @now`,
  ...HELD_TESTS,
  // It is read anew, as far back as it isn't rolled up; its counters go on.
  `DELETE FROM old_bucket WHERE at > @now AND graph_id IN (SELECT id FROM graph WHERE ${BEGINS_AHEAD})`,
  `UPDATE graph SET floor = ${ROLLED_UP}, baselined_at = NULL, watermark = NULL, deep_read_at = NULL
   WHERE ${BEGINS_AHEAD}`,
  `UPDATE graph SET baselined_at = @now WHERE ${untold('baselined_at')}`,
  ...toPresent('graph', 'watermark', 'read_at', 'deep_read_at'),
  ...toPresent('listing', 'baselined_at', 'complete_started_at', 'complete_at', 'stored_at'),
  ...toPresent('listing', 'began_at', 'counted_started_at', 'counted_at'),
  ...toPresent('run', 'started_at', 'finished_at', 'last_success_at', 'watched_since'),
  ...toPresent('ledger_pace', 'since', 'at'),
  ...toPresent('proxy_user', 'residential_rated_since', 'residential_rated_at', 'mobile_rated_since'),
  ...toPresent('proxy_user', 'mobile_rated_at', 'gone_since'),
  ...toPresent('test_cells', 'at'),
  ...toPresent('url_tester', 'at'),
  ...toPresent('tested_proxy', 'last_tested_at'),
  ...toPresent('service', 'asked_at', 'answered_at'),
  ...toPresent('quote', 'answered_at'),
  // What was spent stays spent.
  `INSERT INTO test_spend SELECT account_id, @now, sum(runs) FROM test_spend WHERE at > @now GROUP BY account_id
   ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`,
  'DELETE FROM test_spend WHERE at > @now',
  ...toPresent('fault', 'since'),
  ...toPresent('alert', 'since', 'firing_since', 'absent_since', 'ended_at'),
  ...toPresent('notice', 'created_at'),
];

/** Brings times of the future to `now` (ms) where the clock was set back since; tells whether there were any. */
export const createPresent = (db: Database): ((now: number) => boolean) => {
  const newest = db.sql.prepare<{ now: number }, number | null>(NEWEST).pluck();
  const steps = STEPS.map((step) => db.sql.prepare(step));
  return (now) => {
    const latest = db.read(() => newest.get({ now })) ?? now;
    if (latest <= now + TOLERANCE_MS) return false;
    const hold = db.firstStepHoldMs;
    db.write(() => {
      for (const step of steps) step.run(step.source.includes('@hold') ? { now, hold } : { now });
    });
    return true;
  };
};
