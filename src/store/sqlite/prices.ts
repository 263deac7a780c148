// Stores bytes by the price at which they were used.

import type { Cost, CountedBytes, PriceStore } from '../price-store.ts';
import type { Database } from './file/database.ts';
import type { RowOf } from './row.ts';
import { ofAccount, type Tables } from './table.ts';

export const PRICE_TABLES = {
  priced_bytes: { reset: 'DELETE FROM priced_bytes', move: ofAccount() },
} as const satisfies Tables;

interface Step {
  readonly step: number;
  readonly source: string;
  readonly currency: string;
  readonly price: number;
  readonly toBytes: number;
}

export const createPriceStore = ({ sql, rowsOf, writeOf }: Database): PriceStore => {
  const newest = sql.prepare<[number, string], RowOf<Step>>(
    `SELECT step, source, currency, price, to_bytes AS toBytes FROM priced_bytes
     WHERE account_id = ? AND product_type = ? ORDER BY step DESC LIMIT 1`,
  );
  const extend = sql.prepare(
    'UPDATE priced_bytes SET to_bytes = ? WHERE account_id = ? AND product_type = ? AND step = ?',
  );
  const insert = sql.prepare(
    `INSERT INTO priced_bytes (account_id, product_type, step, source, currency, price, from_bytes, to_bytes)
     VALUES (@accountId, @productType, @step, @source, @currency, @pricePerByte, @bytes, @bytes)`,
  );
  const steps = rowsOf<[], Cost>(
    `SELECT product_type AS productType, currency, price * (to_bytes - from_bytes) AS cost
     FROM priced_bytes WHERE account_id = ? ORDER BY product_type, currency, step`,
  );
  return {
    count: writeOf((accountId, counted: CountedBytes) => {
      const { productType, source, currency, pricePerByte, bytes } = counted;
      const last = newest.get(accountId, productType);
      const goesOn = last !== undefined && last.source === source && bytes >= last.toBytes;
      if (goesOn && bytes > last.toBytes) extend.run(bytes, accountId, productType, last.step);
      if (goesOn && last.currency === currency && last.price === pricePerByte) return;
      insert.run({ accountId, step: (last?.step ?? 0) + 1, ...counted });
    }),
    // Adds in a fixed order, so that rounding lets no sum fall.
    costs: async (account) =>
      (await steps(account)).reduce<Cost[]>((sums, { cost, ...of }) => {
        const last = sums.at(-1);
        const isSame = last?.productType === of.productType && last.currency === of.currency;
        const earlier = isSame ? (sums.pop()?.cost ?? 0) : 0;
        sums.push({ ...of, cost: earlier + cost });
        return sums;
      }, []),
  };
};
