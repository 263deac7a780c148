// Periods that are missing from the store, because an older file replaced it.

import { DAY } from '../../../lib/time.ts';
import type { LostTime } from '../../test-store.ts';
import type { Database } from './database.ts';

/** Older periods do not concern a day's budget. */
const KEPT_MS = 2 * DAY;
const MOST_KEPT = 8;

/** The time of the last write. Slots of spent runs begin before they are written. */
const LAST_WRITTEN = `SELECT max(at) FROM (
  SELECT max(finished_at) AS at FROM run UNION ALL SELECT max(stored_at) FROM listing
  UNION ALL SELECT max(read_at) FROM graph UNION ALL SELECT max(at) FROM test_spend)`;

export interface LostTimes {
  /** Records the period from the last write to `now` (ms) as missing. Inside a transaction. */
  note(now: number): void;
  all(): LostTime[];
}

export const createLostTimes = ({ sql }: Pick<Database, 'sql'>): LostTimes => {
  const lastWritten = sql.prepare<[], number | null>(LAST_WRITTEN).pluck();
  const put = sql.prepare(
    'INSERT INTO lost_time VALUES (?, ?) ON CONFLICT DO UPDATE SET ended_at = max(ended_at, excluded.ended_at)',
  );
  const dropOld = sql.prepare(
    `DELETE FROM lost_time WHERE ended_at < ? OR began_at NOT IN (
       SELECT began_at FROM lost_time ORDER BY ended_at DESC LIMIT ${MOST_KEPT})`,
  );
  const all = sql.prepare<[], LostTime>('SELECT began_at AS "from", ended_at AS "to" FROM lost_time');
  return {
    note: (now) => {
      const from = lastWritten.get() ?? now;
      if (from < now) put.run(from, now);
      dropOld.run(now - KEPT_MS);
    },
    all: () => all.all(),
  };
};
