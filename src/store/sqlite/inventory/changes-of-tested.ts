// Reads the newest changes of tested proxies.

import { type InventoryStore, PLACE_CHANGES, type TestedProxyChange } from '../../inventory-store.ts';
import { TESTED_PROXIES } from '../../source-proxy-store.ts';
import type { Database } from '../file/database.ts';

export const createChangesOfTested = (db: Database): InventoryStore['changesOfTested'] => {
  // The changes since then are few, so they are read first. Without statistics, SQLite would compare all tested proxies with
  // each of them. The newest change of a proxy is the last one.
  const changes = db.sql.prepare<[number, number, number, string], TestedProxyChange>(
    `SELECT source_proxy.id, host, at, change, before, after
     FROM inventory_change INDEXED BY inventory_change_by_time
       CROSS JOIN source_proxy INDEXED BY source_proxy_by_inventory_id
     WHERE inventory_change.account_id = ? AND at >= ? AND change IN ('${PLACE_CHANGES.join("', '")}')
       AND source_proxy.account_id = ? AND source = ? AND inventory_id = proxy_id
     ORDER BY at, number`,
  );
  return async (account, testedAccount, since) => {
    const ids = [db.knownAccountId(account), since, db.knownAccountId(testedAccount)] as const;
    const rows = db.read(() => changes.all(...ids, TESTED_PROXIES));
    return [...new Map(rows.map((row) => [row.id, row])).values()];
  };
};
