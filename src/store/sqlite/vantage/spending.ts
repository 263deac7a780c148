// Stores the bytes that probes through metered proxies spend of the day's budget.

import { DAY, MINUTE } from '../../../lib/time.ts';
import type { ProbeStore, SpentBytes } from '../../probe-store.ts';
import type { Database } from '../file/database.ts';

/** Slots of this width are fine enough for a window of one day, and need few rows. */
const SLOT_MS = 10 * MINUTE;
const RETENTION_MS = 2 * DAY;

export const createSpending = (db: Database): Pick<ProbeStore, 'spend' | 'spent'> => {
  const add = db.sql.prepare(
    'INSERT INTO probe_spend VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
  );
  const deleteOld = db.sql.prepare('DELETE FROM probe_spend WHERE account_id = ? AND at < ?');
  const spentSince = db.sql.prepare<[number, number], SpentBytes>(
    'SELECT at, bytes FROM probe_spend WHERE account_id = ? AND at >= ? ORDER BY at',
  );
  return {
    spend: async (account, amounts) => {
      const accountId = db.accountId(account);
      const newest = Math.max(...amounts.map(({ at }) => at));
      db.write(() => {
        for (const { at, bytes } of amounts) add.run(accountId, Math.floor(at / SLOT_MS) * SLOT_MS, bytes);
        deleteOld.run(accountId, newest - RETENTION_MS);
      });
    },
    spent: async (account, from) => db.read(() => spentSince.all(db.knownAccountId(account), from)),
  };
};
