// Reads the changes of the inventory page by page, newest first.

import type { ChangeFilter, InventoryChange, InventoryStore } from '../../inventory-store.ts';
import type { Database } from '../file/database.ts';
import { rowsWithText } from '../text-search.ts';

/** Later than every change. */
const END = { at: Number.MAX_SAFE_INTEGER, number: 0 };

export const createChangePages = (db: Database): Pick<InventoryStore, 'newestChanges' | 'countChanges'> => ({
  newestChanges: (account, limit, filter = {}) =>
    rowsWithText(
      filter.text,
      limit,
      (size, after) =>
        db.read(() => readChanges(db, account, size, { ...filter, before: after ?? filter.before })),
      ({ proxyId, before, after }) => [proxyId, before, after],
    ),
  countChanges: async (account, filter) =>
    db.read(() => {
      const { proxyId, change, from = 0, to = END.at } = filter;
      const values = { accountId: db.knownAccountId(account), proxyId, change, from, to };
      const { sql } = db;
      return (
        sql
          .prepare<object, number>(
            `SELECT count(*) FROM inventory_change ${indexedCondition(filter)} AND at >= @from AND at < @to`,
          )
          .pluck()
          .get(values) ?? 0
      );
    }),
});

const readChanges = (
  db: Database,
  account: string,
  limit: number,
  filter: ChangeFilter,
): InventoryChange[] => {
  const { proxyId, change, from = 0, before = END, to = END.at } = filter;
  const values = { accountId: db.knownAccountId(account), proxyId, change, from };
  const { at, number } = before.at < to ? before : { at: to, number: 0 };
  // SQLite looks up no comparison of both columns at once. So changes of the same time are a query of their own.
  const sameTime = prepare(db, filter, 'at = @at AND number < @number');
  const earlier = prepare(db, filter, 'at >= @from AND at < @at');
  const first = at < from ? [] : sameTime.all({ ...values, at, number, limit });
  return [...first, ...earlier.all({ ...values, at, limit: limit - first.length })];
};

const prepare = ({ sql }: Database, filter: ChangeFilter, range: string) =>
  sql.prepare<object, InventoryChange>(
    `SELECT number, at, change, proxy_id AS proxyId, before, after FROM inventory_change
     ${indexedCondition(filter)} AND ${range} ORDER BY at DESC, number DESC LIMIT @limit`,
  );

/** An index has the rows in the order of the page. Only changes of one proxy may be compared with a kind of change. */
const indexedCondition = ({ proxyId, change }: ChangeFilter): string => {
  const account = 'WHERE account_id = @accountId';
  if (proxyId !== undefined)
    return `INDEXED BY inventory_change_by_proxy ${account} AND proxy_id = @proxyId${change === undefined ? '' : ' AND +change = @change'}`;
  return change === undefined
    ? `INDEXED BY inventory_change_by_time ${account}`
    : `INDEXED BY inventory_change_by_kind ${account} AND change = @change`;
};
