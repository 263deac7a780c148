// Stores the bytes that probes through metered proxies spend of the day's budget.

import { DAY, MINUTE } from '../../../lib/time.ts';
import type { ProbeStore, SpentBytes } from '../../probe-store.ts';
import type { Database } from '../file/database.ts';

/** Slots of this width are fine enough for a window of one day, and need few rows. */
const SLOT_MS = 10 * MINUTE;
/** So many slots are kept. An age would be measured by the clock, and one that is days ahead would delete today's slots. */
const KEPT_SLOTS = (2 * DAY) / SLOT_MS;

export const createSpending = (db: Database): Pick<ProbeStore, 'spend' | 'spent'> => {
  const add = db.sql.prepare(
    'INSERT INTO probe_spend VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
  );
  const deleteOld = db.sql.prepare<{ accountId: number }>(
    `DELETE FROM probe_spend WHERE account_id = @accountId AND at <= (
       SELECT at FROM probe_spend WHERE account_id = @accountId ORDER BY at DESC LIMIT 1 OFFSET ${KEPT_SLOTS})`,
  );
  const spentSince = db.sql.prepare<[number, number], SpentBytes>(
    'SELECT at, bytes FROM probe_spend WHERE account_id = ? AND at >= ? ORDER BY at',
  );
  return {
    spend: async (account, amounts) => {
      const accountId = db.accountId(account);
      db.write(() => {
        for (const { at, bytes } of amounts) add.run(accountId, Math.floor(at / SLOT_MS) * SLOT_MS, bytes);
        deleteOld.run({ accountId });
      });
    },
    spent: async (account, from) => db.read(() => spentSince.all(db.knownAccountId(account), from)),
  };
};
