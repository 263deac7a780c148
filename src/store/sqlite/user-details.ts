// Details of proxy users: in a table of their own, which keeps the rows of proxy_user short, and seldom written.

import type { UserDetails } from '../user-store.ts';
import type { Database } from './database.ts';

/** As joined to a user's row, so that a poll finds out at no reading more whether they have changed. */
export interface DetailRow {
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly address_limit: number | null;
  readonly addresses: number | null;
  readonly restricted_proxies: number | null;
  readonly restricted_services: number | null;
}

export const DETAIL_COLUMNS =
  'created_at, updated_at, address_limit, addresses, restricted_proxies, restricted_services';

export interface UserDetailTable {
  /** Stores details that are not as in `known`, what is joined to the row of a user. Inside a transaction. */
  save(rowid: number | bigint, known: DetailRow | undefined, details: UserDetails): void;
  of(accountId: number, ids: readonly string[]): Map<string, UserDetails>;
}

export const createUserDetails = ({ sql }: Database): UserDetailTable => {
  const put = sql.prepare(`INSERT OR REPLACE INTO proxy_user_details (user, ${DETAIL_COLUMNS})
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const find = sql.prepare<[number, string], DetailRow>(
    `SELECT ${DETAIL_COLUMNS} FROM proxy_user JOIN proxy_user_details ON user = proxy_user.rowid
     WHERE account_id = ? AND id = ?`,
  );
  return {
    save: (rowid, known, details) => {
      if (known && isSame(known, details)) return;
      const { createdAt, updatedAt, addressLimit, addresses } = details;
      put.run(
        ...[rowid, createdAt, updatedAt, addressLimit, addresses],
        ...[details.restrictedProxies, details.restrictedServices],
      );
    },
    of: (accountId, ids) =>
      new Map(
        ids.flatMap((id): [string, UserDetails][] => {
          const row = find.get(accountId, id);
          return row ? [[id, fromRow(row)]] : [];
        }),
      ),
  };
};

const isSame = (row: DetailRow, details: UserDetails): boolean =>
  row.updated_at === details.updatedAt &&
  row.created_at === details.createdAt &&
  row.address_limit === details.addressLimit &&
  row.addresses === details.addresses &&
  row.restricted_proxies === details.restrictedProxies &&
  row.restricted_services === details.restrictedServices;

const fromRow = (row: DetailRow): UserDetails => ({
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  addressLimit: row.address_limit,
  addresses: row.addresses,
  restrictedProxies: row.restricted_proxies,
  restrictedServices: row.restricted_services,
});
