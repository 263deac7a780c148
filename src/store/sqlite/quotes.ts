// Stores the newest quote of each configured order.

import type { NamedOrder, QuoteStore, StoredQuote } from '../quote-store.ts';
import type { Database } from './file/database.ts';

type Row = Omit<StoredQuote, 'details'> & { readonly details: string | null };

export const createQuoteStore = (db: Database): QuoteStore => {
  const { sql } = db;
  const quotesOf = sql.prepare<[number], Row>(
    `SELECT name, terms, state, reason, price, list_price AS listPrice, discount, credit_balance AS creditBalance,
       answered_at AS answeredAt, details
     FROM quote WHERE account_id = ? ORDER BY name`,
  );
  const put = sql.prepare(
    `INSERT OR REPLACE INTO quote VALUES (@accountId, @name, @terms, @state, @reason, @price, @listPrice, @discount,
       @creditBalance, @answeredAt, @details)`,
  );
  const remove = sql.prepare('DELETE FROM quote WHERE account_id = ? AND name = ?');
  return {
    retain: async (account, orders) => {
      const accountId = db.accountId(account);
      const kept = new Set(orders.map(keyOf));
      db.write(() => {
        for (const quote of quotesOf.all(accountId)) {
          if (!kept.has(keyOf(quote))) remove.run(accountId, quote.name);
        }
      });
    },
    save: async (account, { details, ...quote }) => {
      const accountId = db.accountId(account);
      db.write(() => put.run({ accountId, ...quote, details: details && JSON.stringify(details) }));
    },
    quotes: async (account) =>
      db
        .read(() => quotesOf.all(db.knownAccountId(account)))
        .map((row) => ({ ...row, details: row.details === null ? null : JSON.parse(row.details) })),
  };
};

const keyOf = ({ name, terms }: NamedOrder): string => JSON.stringify([name, terms]);
