// Stores the catalog of products.

import type { CatalogStore, ProductObservation, StoredProduct } from '../catalog-store.ts';
import { MISSED_LISTINGS_UNTIL_REMOVED } from '../listing.ts';
import type { Database } from './file/database.ts';

type Row = Omit<StoredProduct, 'isAvailable' | 'isListed' | 'cycles' | 'isPerIp' | 'isStockUnlimited'> & {
  readonly cycles: string | null;
  readonly isPerIp: number | null;
  readonly isAvailable: number | null;
  readonly isListed: number;
};

/** The stock of a row if it is unlimited. */
const UNLIMITED = -1;

export const createCatalogStore = (db: Database): CatalogStore => {
  const { sql } = db;
  // Most products are unchanged and are not written.
  const put = sql.prepare(
    `INSERT INTO product (account_id, code, name, type, protocol, country_id, is_available, stock, missed_listings, cycles,
       is_per_ip)
     VALUES (@accountId, @code, @name, @type, @protocol, @countryId, @isAvailable, @stock, 0, @cycles, @isPerIp)
     ON CONFLICT DO UPDATE SET name = excluded.name, type = excluded.type, protocol = excluded.protocol,
       country_id = excluded.country_id, is_available = excluded.is_available, stock = excluded.stock, missed_listings = 0,
       cycles = excluded.cycles, is_per_ip = excluded.is_per_ip
     WHERE (name, type, protocol, country_id, is_available, stock, missed_listings, cycles, is_per_ip) IS NOT
       (excluded.name, excluded.type, excluded.protocol, excluded.country_id, excluded.is_available, excluded.stock, 0,
       excluded.cycles, excluded.is_per_ip)`,
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
  const productsOf = sql.prepare<[number], Row>(
    `SELECT code, name, type, protocol, country_id AS countryId, is_available AS isAvailable, stock, cycles,
       is_per_ip AS isPerIp, missed_listings < ${MISSED_LISTINGS_UNTIL_REMOVED} AS isListed
     FROM product WHERE account_id = ? ORDER BY code`,
  );

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
        for (const product of products) put.run({ accountId, ...toRow(product) });
        // A watched product that was never listed counts as removed after its first catalog.
        const missed = new Map(watchedCodes.map((code) => [code, MISSED_LISTINGS_UNTIL_REMOVED - 1]));
        for (const row of known.all(accountId)) missed.set(row.code, row.missed);
        const removed = [...missed].filter(
          ([code, times]) => !listed.has(code) && recordMiss(accountId, code, times, watched.has(code)),
        );
        return removed.map(([code]) => code).filter((code) => watched.has(code));
      });
    },
    products: async (account) => db.read(() => productsOf.all(db.knownAccountId(account))).map(fromRow),
  };
};

const toRow = ({ isAvailable, isPerIp, isStockUnlimited, cycles, ...product }: ProductObservation) => ({
  ...product,
  stock: isStockUnlimited ? UNLIMITED : product.stock,
  isAvailable: isAvailable === null ? null : Number(isAvailable),
  isPerIp: isPerIp === null ? null : Number(isPerIp),
  cycles: cycles && JSON.stringify(cycles),
});

const fromRow = ({ isAvailable, isPerIp, isListed, cycles, ...row }: Row): StoredProduct => ({
  ...row,
  stock: row.stock === UNLIMITED ? null : row.stock,
  isStockUnlimited: row.stock === UNLIMITED,
  cycles: cycles === null ? null : JSON.parse(cycles),
  isPerIp: isPerIp === null ? null : isPerIp === 1,
  isAvailable: isAvailable === null ? null : isAvailable === 1,
  isListed: isListed === 1,
});
