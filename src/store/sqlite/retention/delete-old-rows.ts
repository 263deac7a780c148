// Deletes rows that are older than the retention: changes of the inventory, services that are no longer requested,
// corrections of published history, and what probes showed about proxies and urls that are no longer probed.

import { DAY } from '../../../lib/time.ts';
import type { RetainedAccount, Retention } from '../../maintenance.ts';
import type { Database } from '../file/database.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';

/** A row of history is at most a day long, and two days leave room for changes of the clock's offset. */
const LONGEST_ROW_MS = 2 * DAY;

const PROBE_TABLES = ['probe_control', 'probe_phase', 'probe_failure', 'probe_exit'];

export interface OldRows {
  slices(account: RetainedAccount, retention: Retention, now: number): Slice[];
}

export const createOldRows = (db: Database): OldRows => {
  // Numbers rise with time, so only the oldest changes have to be checked.
  const deleteChanges = db.sql.prepare<{ accountId: number; oldest: number }>(
    `DELETE FROM inventory_change WHERE at < @oldest AND number IN (
       SELECT number FROM inventory_change WHERE account_id = @accountId ORDER BY number LIMIT ${SLICE_ROWS})`,
  );
  const deleteServices = db.sql.prepare<{ accountId: number; oldest: number }>(
    `DELETE FROM service WHERE account_id = @accountId AND asked_at < @oldest LIMIT ${SLICE_ROWS}`,
  );
  // The ledger's rows stay forever, so their corrections stay, too. Those of other rows stay as long as the row, which is
  // deleted when the newest of its day is old enough: otherwise the row would lose its first value before.
  const deleteCorrections = db.sql.prepare<{ accountId: number; oldest: number }>(
    `DELETE FROM correction WHERE account_id = @accountId AND at < @oldest - ${LONGEST_ROW_MS}
       AND publication_id IN (SELECT id FROM publication WHERE account_id = @accountId AND source <> 'ledger')
     LIMIT ${SLICE_ROWS}`,
  );
  const deleteProbes = PROBE_TABLES.map((table) =>
    db.sql.prepare<{ accountId: number; oldest: number }>(
      `DELETE FROM ${table} WHERE account_id = @accountId AND at < @oldest LIMIT ${SLICE_ROWS}`,
    ),
  );
  return {
    slices: ({ name }, { dailyMs }, now) => {
      const span = { accountId: db.knownAccountId(name), oldest: now - dailyMs };
      return [deleteChanges, deleteServices, deleteCorrections, ...deleteProbes].map(
        (statement) => () => statement.run(span).changes,
      );
    },
  };
};
