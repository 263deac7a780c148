// Statements of the inventory.

import type { InventoryListing, InventoryProxy, InventoryStore } from '../../inventory-store.ts';
import { MISSED_WHEN_GONE } from '../../listing.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { changesBetween, createInventoryChanges, type NewChange } from './inventory-changes.ts';
import { fromRow, type InventoryRow, isSame, overlay, SELECTED, toRow, UPSERT } from './inventory-row.ts';

/** Rows of a transaction: the first listing stores all that there are, and the event loop is to be free in between. */
const SLICE = 250;

interface Missing {
  readonly id: string;
  readonly address: string | null;
  readonly missed: number;
  readonly missedIn: number | null;
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
    `SELECT id, address, missed, missed_in AS missedIn FROM inventory_proxy
     WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const setMissed = sql.prepare(
    'UPDATE inventory_proxy SET missed = ?, missed_in = ? WHERE account_id = ? AND id = ?',
  );
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

  /** Counts once a miss of each proxy that the listing lacks. A proxy that was missed twice is deleted, with its event. */
  const countMisses = (
    accountId: number,
    rows: readonly Missing[],
    mark: number,
    listing: InventoryListing,
  ): void => {
    const found: NewChange[] = [];
    for (const { id, address, missed, missedIn } of rows) {
      if (listing.seen.has(id)) {
        if (missed > 0) setMissed.run(0, null, accountId, id);
      } else if (missed === 0 || missedIn !== mark) {
        if (missed + 1 < MISSED_WHEN_GONE) setMissed.run(missed + 1, mark, accountId, id);
        else {
          remove.run(accountId, id);
          found.push({ change: 'gone', proxyId: id, before: address, after: null });
        }
      }
    }
    count(accountId, found, listing);
  };

  const complete = async (accountId: number, listing: InventoryListing): Promise<void> => {
    const mark = db.write(() => listings.beginCompleting(accountId, listing.startedAt));
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: Missing[] = db.read(() => missedAfter.all(accountId, after ?? '', SLICE));
      db.write(() => countMisses(accountId, rows, mark, listing));
      after = rows.at(-1)?.id;
      await new Promise(setImmediate);
    }
    db.write(() => listings.complete(accountId, listing.startedAt, listing.now));
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
    saveListing: async (account, listing) => {
      const accountId = db.accountId(account);
      for (let from = 0; from < listing.changed.length; from += SLICE) {
        db.write(() => saveSlice(accountId, listing.changed.slice(from, from + SLICE), listing));
        await new Promise(setImmediate);
      }
      if (listing.isComplete) await complete(accountId, listing);
      else db.write(() => listings.count(accountId, listing.startedAt, listing.now));
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
