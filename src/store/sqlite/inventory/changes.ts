// Counts changes of the inventory, and stores each as an event with what readers know it by: the address of the proxy, the names of
// networks and cities, and the reason of a replacement. The provider names places at its proxies only, so the name of a city is
// known while a proxy is in it.

import { DAY } from '../../../lib/time.ts';
import {
  type ChangeFilter,
  INVENTORY_CHANGES,
  type InventoryChange,
  type InventoryChangeKind,
  type InventoryProxy,
  type InventoryStore,
  PLACE_CHANGES,
  type TestedProxyChange,
} from '../../inventory-store.ts';
import { TESTED_PROXIES } from '../../source-proxy-store.ts';
import { REASON_OF_CHANGE } from '../adjustments/reasons.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { rowsWithText, SLICE_ROWS } from '../slices.ts';
import { ofAccount, shifted, storedAtOf, type Tables } from '../table.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

const createChangeNames = (db: Database): Pick<InventoryStore, 'nameChanges'> => {
  const addresses = db.sql.prepare<[number, string], Named>(
    `SELECT id, address AS name FROM inventory_proxy
     WHERE account_id = ? AND id IN (SELECT value FROM json_each(?)) AND address IS NOT NULL`,
  );
  /** The name that most proxies have comes last. */
  const namesIn = (column: 'city' | 'asn') =>
    db.sql.prepare<[number, string], Named>(
      `SELECT CAST(${column}_id AS TEXT) AS id, ${column}_name AS name FROM inventory_proxy
       WHERE account_id = ? AND ${column}_id IN (SELECT value FROM json_each(?)) AND ${column}_name IS NOT NULL
       GROUP BY ${column}_id, ${column}_name ORDER BY count(*)`,
    );
  const reasons = db.sql.prepare<[number, string], Named>(
    `SELECT CAST(number AS TEXT) AS id, ${REASON_OF_CHANGE} AS name FROM inventory_change
     WHERE account_id = ? AND number IN (SELECT value FROM json_each(?))`,
  );
  const names = { city: namesIn('city'), asn: namesIn('asn') };

  const nameChanges = db.readOf((accountId, changes: readonly InventoryChange[]) => {
    const idsOf = (kind: InventoryChange['change']): number[] =>
      changes
        .filter(({ change }) => change === kind)
        .flatMap(({ before, after }) => [Number(before), Number(after)]);
    const mapOf = (rows: readonly Named[]) => new Map(rows.map(({ id, name }) => [id, name]));
    // Without a change of this kind, no proxy is read.
    const namesOf = (kind: 'city' | 'asn') => {
      const ids = idsOf(kind);
      return mapOf(ids.length === 0 ? [] : names[kind].all(accountId, JSON.stringify(ids)));
    };
    const named = { city: namesOf('city'), asn: namesOf('asn') };
    const addressById = mapOf(
      addresses.all(accountId, JSON.stringify(changes.map(({ proxyId }) => proxyId))),
    );
    const numbers = JSON.stringify(changes.map(({ number }) => number));
    const reasonByNumber = mapOf(reasons.all(accountId, numbers));
    return changes.map((change) => {
      const known = change.change === 'city' || change.change === 'asn' ? named[change.change] : undefined;
      const nameOf = (id: string | null) => known?.get(id ?? '') ?? null;
      return {
        ...change,
        address: addressById.get(change.proxyId) ?? null,
        reason: reasonByNumber.get(`${change.number}`) ?? null,
        ...{ beforeName: nameOf(change.before), afterName: nameOf(change.after) },
      };
    });
  });
  return { nameChanges };
};

/** The number of such a row is not used elsewhere, so the other store gives a new one. */
const withOwnNumber = ofAccount({ rowid: 'NULL' });

export const INVENTORY_TABLES = {
  inventory_proxy: { move: withOwnNumber },
  geolocation: {
    times: ['asked_at', 'placed_at'],
    // A request counts against the budget of a day, also if the proxy is removed.
    expired: `(asked_at < @oldest OR asked_at < (${storedAtOf("'inventory'", '@accountId')}) - ${2 * DAY} AND NOT EXISTS
      (SELECT 1 FROM inventory_proxy AS p WHERE p.account_id = @accountId AND p.address = geolocation.address))`,
    move: ofAccount(),
  },
  inventory_change: {
    // Numbers rise with time, so only the oldest changes have to be checked.
    expired: `at < @oldest AND number IN (
      SELECT number FROM inventory_change WHERE account_id = @accountId ORDER BY number LIMIT ${SLICE_ROWS})`,
    highest: "SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'inventory_change'",
    move: ofAccount({ number: shifted('number', 'inventory_change') }),
  },
  // A service that is no longer requested expires.
  service: { times: ['asked_at', 'answered_at'], expired: 'asked_at < @oldest', move: withOwnNumber },
  place: { move: ofAccount() },
  product: { move: ofAccount() },
  quote: { times: ['answered_at'], move: ofAccount() },
} as const satisfies Tables;

export type NewChange = Omit<InventoryChange, 'number' | 'at'> & OfService;
/** What the proxy belongs to; after a removal, what it belonged to. */
type OfService = Pick<InventoryProxy, 'serviceId' | 'productType'>;

const CHANGES = 'SELECT number, at, change, proxy_id AS proxyId, before, after FROM inventory_change';
/** The limit of an account: about 15 MB. */
export const MAX_CHANGES = 100_000;

export const createInventoryChanges = (db: Database) => {
  const { sql } = db;
  const counters = createCounters(db);
  const insert = sql.prepare(
    `INSERT INTO inventory_change (account_id, at, change, proxy_id, before, after, service_id, product_type)
     VALUES (@accountId, @at, @change, @proxyId, @before, @after, @serviceId, @productType)`,
  );
  const deleteOldest = sql.prepare<[number, number, number]>(
    `DELETE FROM inventory_change WHERE account_id = ? AND number <=
       (SELECT number FROM inventory_change WHERE account_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`,
  );

  return {
    /** Creates the counters of changes at 0. Must run inside a transaction. */
    create: (accountId: number, heldUntil: number) =>
      counters.create(ownerOf(accountId), INVENTORY_CHANGES, heldUntil),
    /** Counts and stores the changes found by a listing that began at `at` (ms). Must run inside a transaction. */
    add: (accountId: number, at: number, changes: readonly NewChange[], heldUntil: number): void => {
      const growth: Partial<Record<InventoryChangeKind, number>> = {};
      for (const change of changes) {
        insert.run({ accountId, at, ...change });
        growth[change.change] = (growth[change.change] ?? 0) + 1;
      }
      counters.grow(ownerOf(accountId), growth, heldUntil);
      deleteOldest.run(accountId, accountId, MAX_CHANGES);
    },
    queries: {
      counters: db.readOf((accountId) => counters.of(ownerOf(accountId), INVENTORY_CHANGES)),
      changes: db.rowsOf(`${CHANGES} WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?`),
      ...createChangePages(db),
      ...createChangeNames(db),
      changesOfTested: createChangesOfTested(db),
    } satisfies Pick<
      InventoryStore,
      'counters' | 'changes' | 'newestChanges' | 'nameChanges' | 'countChanges' | 'changesOfTested'
    >,
  };
};

const ownerOf = (accountId: number): string => `inventory/${accountId}`;

type ComparedProxy = Pick<InventoryProxy, 'id' | 'address' | 'asnId' | 'cityId'> & OfService;

/** Returns the differences between two observations of a proxy. A value that was unknown before is not a change. */
export const changesBetween = (before: ComparedProxy | undefined, after: ComparedProxy): NewChange[] => {
  const { id: proxyId, serviceId, productType } = after;
  const of = { proxyId, serviceId, productType };
  if (!before) return [{ ...of, change: 'appeared', before: null, after: after.address }];
  const values = [
    ['address', before.address, after.address],
    ['asn', before.asnId, after.asnId],
    ['city', before.cityId, after.cityId],
  ] as const;
  return values.flatMap(([change, old, current]) =>
    old === null || current === null || old === current
      ? []
      : [{ ...of, change, before: String(old), after: String(current) }],
  );
};

/** Later than every change. */
const END = { at: Number.MAX_SAFE_INTEGER, number: 0 };

const createChangePages = (db: Database): Pick<InventoryStore, 'newestChanges' | 'countChanges'> => ({
  newestChanges: (account, limit, filter = {}) =>
    rowsWithText(
      filter.text,
      limit,
      (size, after) =>
        db.read(() => readChanges(db, account, size, { ...filter, before: after ?? filter.before })),
      ({ proxyId, before, after }) => [proxyId, before, after],
    ),
  countChanges: db.readOf((accountId, filter) => {
    const { proxyId, change, from = 0, to = END.at } = filter;
    const count = db.prepareValue<object, number>(
      `SELECT count(*) FROM inventory_change ${indexedCondition(filter)} AND at >= @from AND at < @to`,
    );
    return count.get({ accountId, proxyId, change, from, to }) ?? 0;
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
    `${CHANGES} ${indexedCondition(filter)} AND ${range} ORDER BY at DESC, number DESC LIMIT @limit`,
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

const createChangesOfTested = (db: Database): InventoryStore['changesOfTested'] => {
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
