// Describes the tables of accounts and runs, and those about the store as a whole.

import { DAY } from '../../../lib/time.ts';
import { BY_NAME, ofAccount, type Tables } from '../table.ts';

// What applies to all accounts of the old store, such as its missing periods, goes on for the moved account alone.
const MISSING_PERIODS = `(SELECT * FROM source.account_missing_period
  UNION ALL SELECT id, began_at, ended_at FROM source.missing_period, source.account)`;

const missingPeriods = (table: string): readonly string[] => [
  `DELETE FROM ${table} WHERE began_at > @now`,
  `UPDATE ${table} SET ended_at = @now WHERE ended_at > @now`,
];

/** The times of a listing, with which the holds of its counters are compared. */
export const LISTING_TIMES = [
  ...['began_at', 'baselined_at', 'counted_started_at', 'counted_at'],
  ...['complete_started_at', 'complete_at', 'stored_at'],
  ...['use_stored_until', 'use_storing_hour'],
];

export const ACCOUNT_TABLES = {
  account: {
    times: ['unreached_since', 'unreached_at'],
    move: {
      where: 'id IN (SELECT old FROM temp.moved_account)',
      columns: { id: '(SELECT new FROM temp.moved_account WHERE old = id)' },
    },
  },
  account_move: { move: { where: BY_NAME } },
  account_missing_period: {
    corrections: missingPeriods('account_missing_period'),
    move: {
      ...ofAccount(),
      from: MISSING_PERIODS,
      onConflict: 'DO UPDATE SET ended_at = max(ended_at, excluded.ended_at)',
    },
  },
  listing: {
    reset: `UPDATE listing SET baselined_at = NULL, began_at = NULL, use_stored_until = NULL,
      use_storing_hour = NULL`,
    move: ofAccount(),
  },
  run: { times: ['started_at', 'finished_at', 'last_success_at', 'watched_since'], move: ofAccount() },
  endpoint: {
    times: ['last_success_at', 'rejected_since', 'refused_since'],
    // No pause is longer than a day, so a later end comes from a clock that was ahead.
    corrections: [`UPDATE endpoint SET paused_until = @now WHERE paused_until > @now + ${DAY}`],
    move: ofAccount(),
  },
  missing_period: {
    corrections: missingPeriods('missing_period'),
    move: 'about all accounts of the store; becomes a period of the moved account',
  },
  backup_schedule: { times: ['since'], move: 'about the store' },
  clock_step: { move: 'about the clock of the machine' },
  epoch: { move: 'about the store' },
  write_check: { move: 'about the store' },
} as const satisfies Tables;
