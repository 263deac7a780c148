// Stores the proxies of the inventory, and what changes from listing to listing.

import type { InventoryListing, InventoryProxy, InventoryStore, PlacedProxy } from '../../inventory-store.ts';
import { MISSED_LISTINGS_UNTIL_REMOVED } from '../../listing.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { describeRow, json, plain, type RowOf } from '../row.ts';
import { SLICE_ROWS, walkSlices, writeInSlices } from '../slices.ts';
import { changesBetween, createInventoryChanges, type NewChange } from './changes.ts';

type InventoryRow = RowOf<InventoryProxy>;

const ROW = describeRow<InventoryProxy>(
  {
    ...plain('id productType protocol status address httpPort socks5Port subnetId asnId asnName'),
    ...plain('cityId cityName countryId serviceId addressV6 addressIdV4 addressIdV6 subnetIdV6 lineItemId'),
    ...plain('updatedAt users latitude longitude examplePostcode timeZone countryName subdivisionId'),
    ...plain('subdivisionName'),
    ...json('userIds'),
  },
  ['id'],
);

const PROXIES = `SELECT ${ROW.selected}, asked_at AS askedAt, placed_at AS placedAt, placed_in AS placedIn
  FROM inventory_proxy LEFT JOIN geolocation USING (account_id, address) WHERE account_id = ?`;

const placedOf = (row: RowOf<PlacedProxy>): PlacedProxy => ROW.fromRow(row);

interface MissedRow extends Pick<InventoryProxy, 'id' | 'address' | 'serviceId' | 'productType'> {
  readonly missedListings: number;
  readonly missedInListing: number | null;
}

export const createInventoryStore = (db: Database): InventoryStore => {
  const { sql } = db;
  const listings = createListings(db, 'inventory');
  const changes = createInventoryChanges(db);
  const find = sql.prepare<[number, string], InventoryRow>(`${PROXIES} AND id = ?`);
  // Few proxies have the same address, so the index by address is enough.
  const at = db.rowsOf(
    `${PROXIES} AND address = ? AND CASE ? WHEN 'socks5' THEN socks5_port ELSE http_port END = ? LIMIT 2`,
    placedOf,
  );
  const put = sql.prepare(`${ROW.insert('inventory_proxy')} ON CONFLICT DO UPDATE SET ${ROW.updates}`);
  const rowsAfter = sql.prepare<[number, string, number], MissedRow>(
    `SELECT id, address, service_id AS serviceId, product_type AS productType, missed_listings AS missedListings,
       missed_in_listing AS missedInListing FROM inventory_proxy WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const setMissed = sql.prepare(
    'UPDATE inventory_proxy SET missed_listings = ?, missed_in_listing = ? WHERE account_id = ? AND id = ?',
  );
  const remove = sql.prepare('DELETE FROM inventory_proxy WHERE account_id = ? AND id = ?');

  /** Stores a slice of proxies, and counts their changes since the baseline. */
  const saveSlice = (
    accountId: number,
    slice: readonly InventoryProxy[],
    listing: InventoryListing,
  ): void => {
    const newChanges: NewChange[] = [];
    for (const proxy of slice) {
      const before = find.get(accountId, proxy.id);
      const after = mergeRow(before, ROW.toRow(proxy));
      put.run({ accountId, ...after });
      newChanges.push(...changesBetween(before, after));
    }
    saveChanges(accountId, newChanges, listing);
  };

  /** Changes are counted only after the first complete listing, which is the baseline. */
  const saveChanges = (
    accountId: number,
    newChanges: readonly NewChange[],
    { startedAt, now }: InventoryListing,
  ): void => {
    if (listings.of(accountId).baselinedAt === null || newChanges.length === 0) return;
    changes.add(accountId, startedAt, newChanges, listings.heldUntil(accountId, now));
  };

  /** Counts one miss of each proxy that the listing lacks. After two misses it deletes the proxy and stores the event. */
  const countMisses = (
    accountId: number,
    rows: readonly MissedRow[],
    mark: number,
    listing: InventoryListing,
  ): void => {
    const newChanges: NewChange[] = [];
    for (const { id, address, missedListings, missedInListing, ...of } of rows) {
      if (listing.seenIds.has(id)) {
        if (missedListings > 0) setMissed.run(0, null, accountId, id);
      } else if (missedListings === 0 || missedInListing !== mark) {
        const missed = missedListings + 1;
        if (missed < MISSED_LISTINGS_UNTIL_REMOVED) setMissed.run(missed, mark, accountId, id);
        else {
          remove.run(accountId, id);
          newChanges.push({
            ...{ change: 'gone', proxyId: id, before: address, after: null },
            ...{ serviceId: of.serviceId, productType: of.productType },
          });
        }
      }
    }
    saveChanges(accountId, newChanges, listing);
  };

  const complete = async (accountId: number, listing: InventoryListing): Promise<void> => {
    const mark = db.write(() => listings.beginCompletion(accountId, listing.startedAt));
    await walkSlices('', (after) => {
      const rows = db.read(() => rowsAfter.all(accountId, after, SLICE_ROWS));
      db.write(() => countMisses(accountId, rows, mark, listing));
      return rows.at(-1)?.id;
    });
    db.write(() => listings.markComplete(accountId, listing.startedAt, listing.now));
  };

  const place = sql.prepare(
    `INSERT INTO geolocation (account_id, address, asked_at, placed_at, placed_in)
     VALUES (@accountId, @address, @askedAt, @placedAt, @placedIn)
     ON CONFLICT DO UPDATE SET asked_at = @askedAt, placed_at = coalesce(@placedAt, placed_at),
       placed_in = iif(@placedAt IS NULL, placed_in, @placedIn)`,
  );

  return {
    open: db.writeOf((accountId, now) => changes.create(accountId, listings.heldUntil(accountId, now))),
    filterChanged: db.readOf((accountId, proxies) =>
      proxies.filter((proxy) => {
        const before = find.get(accountId, proxy.id);
        return !before || !isEqual(before, mergeRow(before, ROW.toRow(proxy)));
      }),
    ),
    saveListing: async (account, listing) => {
      const accountId = db.accountId(account);
      await writeInSlices(db, listing.changed, (slice) => saveSlice(accountId, slice, listing));
      if (listing.isComplete) await complete(accountId, listing);
      else db.write(() => listings.markCounted(accountId, listing.startedAt, listing.now));
    },
    listing: db.readOf(listings.of),
    find: db.rowOf(`${PROXIES} AND id = ?`, placedOf),
    at: (account, { protocol, host, port }) => at(account, host, protocol, port),
    page: db.rowsOf(`${PROXIES} AND id > ? ORDER BY id LIMIT ?`, placedOf),
    place: db.writeOf((accountId, address, placed) => place.run({ accountId, address, ...placed })),
    askedSince: db.rowsOf(
      'SELECT asked_at AS at, 1 AS amount FROM geolocation WHERE account_id = ? AND asked_at > ?',
    ),
    ...changes.queries,
  };
};

/**
 * Merges an answered proxy with the stored one. An address, port, network or city that is not given keeps its stored
 * value, and its name. Any other value may really be empty again, such as the service of a proxy that was returned.
 */
const mergeRow = (before: InventoryRow | undefined, answered: InventoryRow): InventoryRow => {
  if (!before) return answered;
  return {
    ...answered,
    httpPort: answered.httpPort ?? before.httpPort,
    socks5Port: answered.socks5Port ?? before.socks5Port,
    ...(answered.address === null && pick(before, ADDRESS)),
    ...(answered.asnId === null && { asnId: before.asnId, asnName: before.asnName }),
    ...(answered.cityId === null && {
      ...pick(before, CITY),
      countryId: answered.countryId ?? before.countryId,
    }),
  };
};

const ADDRESS = plain('address subnetId addressV6 addressIdV4 addressIdV6 subnetIdV6');
const CITY = {
  ...plain('cityId cityName latitude longitude examplePostcode timeZone'),
  ...plain('subdivisionId subdivisionName countryName'),
};

const pick = <N extends keyof InventoryRow>(row: InventoryRow, names: Record<N, unknown>) =>
  Object.fromEntries((Object.keys(names) as N[]).map((name) => [name, row[name]])) as Pick<InventoryRow, N>;

const isEqual = (before: InventoryRow, after: InventoryRow): boolean =>
  (Object.keys(after) as (keyof InventoryRow)[]).every((key) => before[key] === after[key]);
