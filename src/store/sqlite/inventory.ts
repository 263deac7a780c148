// Statements of the inventory.

import type { InventoryListing, InventoryProxy, InventoryStore } from '../inventory-store.ts';
import type { Database } from './database.ts';
import { changesBetween, createInventoryChanges, type NewChange } from './inventory-changes.ts';
import { fromRow, type InventoryRow, isSame, overlay, SELECTED, toRow, UPSERT } from './inventory-row.ts';
import { createListings } from './listings.ts';

/** Rows of a transaction: the first listing stores all that there are, and the event loop is to be free in between. */
const SLICE = 1_000;
/** Complete listings in a row that a proxy is missing from when it is gone. */
const MISSED_WHEN_GONE = 2;

interface Missing {
  readonly id: string;
  readonly address: string | null;
  readonly missed: number;
}

export const createInventoryStore = (db: Database): InventoryStore => {
  const { sql } = db;
  const listings = createListings(db, 'inventory');
  const changes = createInventoryChanges(db);
  const find = sql.prepare<[number, string], InventoryRow>(
    `SELECT ${SELECTED} FROM inventory_proxy WHERE account_id = ? AND id = ?`,
  );
  const pageOf = sql.prepare<[number, string, number], InventoryRow>(
    `SELECT ${SELECTED} FROM inventory_proxy WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const put = sql.prepare(UPSERT);
  const missedAfter = sql.prepare<[number, string, number], Missing>(
    'SELECT id, address, missed FROM inventory_proxy WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const setMissed = sql.prepare('UPDATE inventory_proxy SET missed = ? WHERE account_id = ? AND id = ?');
  const remove = sql.prepare('DELETE FROM inventory_proxy WHERE account_id = ? AND id = ?');

  /** Stores proxies as they are now; what that changes since the baseline is counted. */
  const saveSlice = (
    accountId: number,
    slice: readonly InventoryProxy[],
    listing: InventoryListing,
  ): void => {
    const found: NewChange[] = [];
    for (const proxy of slice) {
      const before = find.get(accountId, proxy.id);
      const after = overlay(before, toRow(proxy));
      put.run({ accountId, ...after });
      found.push(...changesBetween(before, after));
    }
    count(accountId, found, listing);
  };

  /** The first complete listing is history. */
  const count = (
    accountId: number,
    found: readonly NewChange[],
    { startedAt, now }: InventoryListing,
  ): void => {
    if (listings.of(accountId).baselinedAt === null || found.length === 0) return;
    changes.add(accountId, startedAt, found, listings.heldUntil(accountId, now));
  };

  /** Proxies whose count of missed listings changes: read in slices, as there may be many. */
  const missing = async (accountId: number, seen: ReadonlySet<string>): Promise<Missing[]> => {
    const changed: Missing[] = [];
    const sliceAfter = (id: string) => db.read(() => missedAfter.all(accountId, id, SLICE));
    for (let slice = sliceAfter(''); slice.length > 0; slice = sliceAfter(slice.at(-1)?.id ?? '')) {
      for (const row of slice) {
        const missed = seen.has(row.id) ? 0 : row.missed + 1;
        if (missed !== row.missed) changed.push({ ...row, missed });
      }
      await new Promise(setImmediate);
    }
    return changed;
  };

  const complete = (accountId: number, missed: readonly Missing[], listing: InventoryListing): void => {
    const gone = missed.filter((row) => row.missed >= MISSED_WHEN_GONE);
    for (const row of missed) setMissed.run(row.missed, accountId, row.id);
    for (const { id } of gone) remove.run(accountId, id);
    const found = gone.map(
      ({ id, address }): NewChange => ({ change: 'gone', proxyId: id, before: address, after: null }),
    );
    count(accountId, found, listing);
    listings.complete(accountId, listing.startedAt, listing.now);
  };

  return {
    open: async (account, now) => {
      const accountId = db.accountId(account);
      db.write(() => changes.create(accountId, listings.heldUntil(accountId, now)));
    },
    changed: async (account, proxies) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        return proxies.filter((proxy) => {
          const before = find.get(accountId, proxy.id);
          return !before || !isSame(before, overlay(before, toRow(proxy)));
        });
      }),
    completeListing: async (account, listing) => {
      const accountId = db.accountId(account);
      for (let from = 0; from < listing.changed.length; from += SLICE) {
        db.write(() => saveSlice(accountId, listing.changed.slice(from, from + SLICE), listing));
        await new Promise(setImmediate);
      }
      const missed = await missing(accountId, listing.seen);
      db.write(() => complete(accountId, missed, listing));
    },
    listing: async (account) => db.read(() => listings.of(db.knownAccountId(account))),
    find: async (account, id) => {
      const row = db.read(() => find.get(db.knownAccountId(account), id));
      return row && fromRow(row);
    },
    page: async (account, after, limit) =>
      db.read(() => pageOf.all(db.knownAccountId(account), after, limit)).map(fromRow),
    ...changes.readings,
  };
};
