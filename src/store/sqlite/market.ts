// Stores the catalog of products, the newest quote of each configured order, and places.

import type {
  CatalogStore,
  GeographyStore,
  NamedOrder,
  Place,
  PlaceKey,
  ProductObservation,
  QuoteStore,
  StoredQuote,
} from '../catalog-store.ts';
import { MISSED_LISTINGS_UNTIL_REMOVED } from '../listing.ts';
import type { Database } from './file/database.ts';
import { describeRow, flags, json, plain, type RowOf } from './row.ts';

type Product = Omit<ProductObservation, 'isStockUnlimited'>;

const PRODUCT = describeRow<Product>(
  {
    ...plain('code name type protocol countryId stock'),
    ...flags('isAvailable isPerIp'),
    ...json('cycles'),
  },
  ['code'],
);
const QUOTE = describeRow<StoredQuote>({
  ...plain('name terms state reason price listPrice discount creditBalance answeredAt'),
  ...json('details'),
});

/** The stock of a row if it is unlimited. */
const UNLIMITED = -1;

export const createCatalogStore = (db: Database): CatalogStore => {
  const { sql } = db;
  // Most products are unchanged and are not written.
  const put = sql.prepare(
    `INSERT INTO product (account_id, missed_listings, ${PRODUCT.columns}) VALUES (@accountId, 0, ${PRODUCT.values})
     ON CONFLICT DO UPDATE SET missed_listings = 0, ${PRODUCT.updates}
     WHERE (missed_listings, ${PRODUCT.columns}) IS NOT (0, ${PRODUCT.excluded})`,
  );
  const known = sql.prepare<[number], { code: string; missed: number }>(
    'SELECT code, missed_listings AS missed FROM product WHERE account_id = ?',
  );
  const countMiss = sql.prepare(
    'UPDATE product SET missed_listings = missed_listings + 1 WHERE account_id = ? AND code = ?',
  );
  // A product that is not in the catalog cannot be ordered. Nothing else is known about it then.
  const putUnlisted = sql.prepare(
    `INSERT INTO product (account_id, code, is_available, missed_listings)
     VALUES (?, ?, 0, ${MISSED_LISTINGS_UNTIL_REMOVED})
     ON CONFLICT DO UPDATE SET is_available = 0, stock = NULL, missed_listings = excluded.missed_listings`,
  );
  const remove = sql.prepare('DELETE FROM product WHERE account_id = ? AND code = ?');

  /** Counts that a product is missing from the catalog. Returns whether it is removed by that. Inside a transaction. */
  const recordMiss = (accountId: number, code: string, missed: number, isWatched: boolean): boolean => {
    const isRemoved = missed + 1 >= MISSED_LISTINGS_UNTIL_REMOVED;
    if (!isRemoved) countMiss.run(accountId, code);
    else if (!isWatched) remove.run(accountId, code);
    else if (missed < MISSED_LISTINGS_UNTIL_REMOVED) putUnlisted.run(accountId, code);
    return isRemoved && missed < MISSED_LISTINGS_UNTIL_REMOVED;
  };

  return {
    save: async (account, { products, skippedCodes }, watchedCodes) => {
      const accountId = db.accountId(account);
      const watched = new Set(watchedCodes);
      const listed = new Set([...products.map(({ code }) => code), ...skippedCodes]);
      return db.write(() => {
        for (const product of products) put.run({ accountId, ...toProductRow(product) });
        // A watched product that was never listed counts as removed after its first catalog.
        const missed = new Map(watchedCodes.map((code) => [code, MISSED_LISTINGS_UNTIL_REMOVED - 1]));
        for (const row of known.all(accountId)) missed.set(row.code, row.missed);
        const removed = [...missed].filter(
          ([code, times]) => !listed.has(code) && recordMiss(accountId, code, times, watched.has(code)),
        );
        return removed.map(([code]) => code).filter((code) => watched.has(code));
      });
    },
    products: db.rowsOf(
      `SELECT ${PRODUCT.selected}, missed_listings < ${MISSED_LISTINGS_UNTIL_REMOVED} AS isListed
       FROM product WHERE account_id = ? ORDER BY code`,
      (row: RowOf<Product> & { readonly isListed: number }) => ({
        ...PRODUCT.fromRow(row),
        stock: row.stock === UNLIMITED ? null : row.stock,
        isStockUnlimited: row.stock === UNLIMITED,
        isListed: row.isListed === 1,
      }),
    ),
  };
};

const toProductRow = ({ isStockUnlimited, ...product }: ProductObservation) =>
  PRODUCT.toRow({ ...product, stock: isStockUnlimited ? UNLIMITED : product.stock });

export const createQuoteStore = (db: Database): QuoteStore => {
  const quotesOf = `SELECT ${QUOTE.selected} FROM quote WHERE account_id = ? ORDER BY name`;
  const stored = db.sql.prepare<[number], NamedOrder>(quotesOf);
  const put = db.sql.prepare(QUOTE.insert('quote', 'OR REPLACE'));
  const remove = db.sql.prepare('DELETE FROM quote WHERE account_id = ? AND name = ?');
  return {
    retain: db.writeOf((accountId, orders) => {
      const kept = new Set(orders.map(orderKey));
      for (const quote of stored.all(accountId))
        if (!kept.has(orderKey(quote))) remove.run(accountId, quote.name);
    }),
    save: db.writeOf((accountId, quote) => put.run({ accountId, ...QUOTE.toRow(quote) })),
    quotes: db.rowsOf(quotesOf, QUOTE.fromRow),
  };
};

const orderKey = ({ name, terms }: NamedOrder): string => JSON.stringify([name, terms]);

const PLACE = describeRow<Place>({
  ...plain('kind id name nodes ipAddresses'),
  ...json('details'),
});

export const createGeographyStore = (db: Database): GeographyStore => {
  const { sql } = db;
  const placesOf = `SELECT ${PLACE.selected} FROM place WHERE account_id = ? ORDER BY kind, id`;
  const stored = sql.prepare<[number], PlaceKey>(placesOf);
  const put = sql.prepare(
    `INSERT OR REPLACE INTO place (account_id, missed_listings, ${PLACE.columns}) VALUES (@accountId, 0, ${PLACE.values})`,
  );
  const countMiss = sql.prepare(
    'UPDATE place SET missed_listings = missed_listings + 1 WHERE account_id = ? AND kind = ? AND id = ?',
  );
  const deleteRemoved = sql.prepare(
    `DELETE FROM place WHERE account_id = ? AND missed_listings >= ${MISSED_LISTINGS_UNTIL_REMOVED}`,
  );
  const remove = sql.prepare('DELETE FROM place WHERE account_id = ? AND kind = ? AND id = ?');
  return {
    retain: db.writeOf((accountId, places, keepsContinents) => {
      const kept = new Set(places.map(keyOf));
      for (const place of stored.all(accountId)) {
        const isKept = place.kind === 'continent' ? keepsContinents : kept.has(keyOf(place));
        if (!isKept) remove.run(accountId, place.kind, place.id);
      }
    }),
    save: db.writeOf((accountId, places, missing) => {
      for (const place of places) put.run({ accountId, ...PLACE.toRow(place) });
      for (const { kind, id } of missing) countMiss.run(accountId, kind, id);
      deleteRemoved.run(accountId);
    }),
    places: db.rowsOf(placesOf, PLACE.fromRow),
  };
};

const keyOf = ({ kind, id }: PlaceKey): string => `${kind} ${id}`;
