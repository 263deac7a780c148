// Statements of the catalog.

import type { CatalogStore, ProductObservation, StoredProduct } from '../catalog-store.ts';
import { MISSED_WHEN_GONE } from '../listing.ts';
import type { Database } from './file/database.ts';

type Row = Omit<StoredProduct, 'isAvailable' | 'isListed' | 'cycles' | 'isPerIp'> & {
  readonly cycles: string | null;
  readonly isPerIp: number | null;
  readonly isAvailable: number | null;
  readonly isListed: number;
};

export const createCatalogStore = (db: Database): CatalogStore => {
  const { sql } = db;
  // Most products are as they were: these are not written.
  const put = sql.prepare(
    `INSERT INTO product (account_id, code, name, type, protocol, country_id, is_available, stock, missed, cycles,
       is_per_ip)
     VALUES (@accountId, @code, @name, @type, @protocol, @countryId, @isAvailable, @stock, 0, @cycles, @isPerIp)
     ON CONFLICT DO UPDATE SET name = excluded.name, type = excluded.type, protocol = excluded.protocol,
       country_id = excluded.country_id, is_available = excluded.is_available, stock = excluded.stock, missed = 0,
       cycles = excluded.cycles, is_per_ip = excluded.is_per_ip
     WHERE (name, type, protocol, country_id, is_available, stock, missed, cycles, is_per_ip) IS NOT (excluded.name,
       excluded.type, excluded.protocol, excluded.country_id, excluded.is_available, excluded.stock, 0,
       excluded.cycles, excluded.is_per_ip)`,
  );
  const known = sql.prepare<[number], { code: string; missed: number }>(
    'SELECT code, missed FROM product WHERE account_id = ?',
  );
  const countMiss = sql.prepare('UPDATE product SET missed = missed + 1 WHERE account_id = ? AND code = ?');
  // What the catalog does not have cannot be ordered, which is all that is known of it then.
  const putGone = sql.prepare(
    `INSERT INTO product (account_id, code, is_available, missed) VALUES (?, ?, 0, ${MISSED_WHEN_GONE})
     ON CONFLICT DO UPDATE SET is_available = 0, stock = NULL, missed = excluded.missed`,
  );
  const remove = sql.prepare('DELETE FROM product WHERE account_id = ? AND code = ?');
  const productsOf = sql.prepare<[number], Row>(
    `SELECT code, name, type, protocol, country_id AS countryId, is_available AS isAvailable, stock, cycles,
       is_per_ip AS isPerIp, missed < ${MISSED_WHEN_GONE} AS isListed
     FROM product WHERE account_id = ? ORDER BY code`,
  );

  /** Takes note that a product is not there; tells whether it is gone since now. Inside a transaction. */
  const miss = (accountId: number, code: string, missed: number, isWatched: boolean): boolean => {
    const isGone = missed + 1 >= MISSED_WHEN_GONE;
    if (!isGone) countMiss.run(accountId, code);
    else if (!isWatched) remove.run(accountId, code);
    else if (missed < MISSED_WHEN_GONE) putGone.run(accountId, code);
    return isGone && missed < MISSED_WHEN_GONE;
  };

  return {
    save: async (account, { products, skippedCodes }, watchedCodes) => {
      const accountId = db.accountId(account);
      const watched = new Set(watchedCodes);
      const present = new Set([...products.map(({ code }) => code), ...skippedCodes]);
      return db.write(() => {
        for (const product of products) put.run({ accountId, ...toRow(product) });
        // What was never there needs no second catalog to be gone.
        const missed = new Map(watchedCodes.map((code) => [code, MISSED_WHEN_GONE - 1]));
        for (const row of known.all(accountId)) missed.set(row.code, row.missed);
        const gone = [...missed].filter(
          ([code, times]) => !present.has(code) && miss(accountId, code, times, watched.has(code)),
        );
        return gone.map(([code]) => code).filter((code) => watched.has(code));
      });
    },
    products: async (account) => db.read(() => productsOf.all(db.knownAccountId(account))).map(fromRow),
  };
};

const toRow = ({ isAvailable, isPerIp, cycles, ...product }: ProductObservation) => ({
  ...product,
  isAvailable: isAvailable === null ? null : Number(isAvailable),
  isPerIp: isPerIp === null ? null : Number(isPerIp),
  cycles: cycles && JSON.stringify(cycles),
});

const fromRow = ({ isAvailable, isPerIp, isListed, cycles, ...row }: Row): StoredProduct => ({
  ...row,
  cycles: cycles === null ? null : JSON.parse(cycles),
  isPerIp: isPerIp === null ? null : isPerIp === 1,
  isAvailable: isAvailable === null ? null : isAvailable === 1,
  isListed: isListed === 1,
});
