// Stores the clients that use the logins of users, by a keyed hash of their address.

import { DAY, HOUR } from '../../../lib/time.ts';
import {
  type ClientSample,
  MAX_CLIENTS,
  type UserClients,
  type WindowResult,
} from '../../request-log-store.ts';
import type { Database } from '../file/database.ts';

/** The newest counted time whose clients are shown. */
const SHOWN_MS = DAY;
/** How long clients are known after their last request. */
const KNOWN_MS = 7 * DAY;

interface ClientsRow extends Omit<UserClients, 'unknown' | 'networks'> {
  readonly unknown: number;
  readonly uncompared: number;
  readonly networks: string;
  readonly isWhole: number;
}

export const createClients = ({ sql, prepareValue }: Database) => {
  const basisOf = prepareValue<[number], string | null>(
    'SELECT clients_basis FROM request_log WHERE account_id = ?',
  );
  const setBasis = sql.prepare('UPDATE request_log SET clients_basis = ? WHERE account_id = ?');
  const setWhole = sql.prepare(
    'UPDATE request_log SET clients_from = iif(@isWhole, coalesce(clients_from, @from), NULL) WHERE account_id = @accountId',
  );
  const deleteBefore = sql.prepare('DELETE FROM request_log_client WHERE account_id = ? AND last_at < ?');
  const put = sql.prepare(
    `INSERT INTO request_log_client VALUES (@accountId, @user, @client, @isExpected, @network, @firstAt, @lastAt)
     ON CONFLICT DO UPDATE SET is_expected = excluded.is_expected, network = excluded.network,
       first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
  );
  // The first request stays known.
  const OF_KIND = 'account_id = @accountId AND user = @user AND (is_expected IS 0) = @isUnknown';
  const deleteSurplus = sql.prepare(
    `DELETE FROM request_log_client WHERE account_id = @accountId AND user = @user AND client IN (
       SELECT client FROM request_log_client WHERE ${OF_KIND}
       ORDER BY first_at = (SELECT min(first_at) FROM request_log_client WHERE ${OF_KIND}) DESC, last_at DESC
       LIMIT -1 OFFSET ${MAX_CLIENTS})`,
  );
  const prepareUsers = <P extends unknown[]>(ofUser: string, end = '') =>
    sql.prepare<P, ClientsRow>(
      `SELECT user, count(*) AS clients, sum(is_expected IS 0) AS unknown, sum(is_expected IS NULL) AS uncompared,
         min(first_at) FILTER (WHERE is_expected = 0) AS firstAt, max(last_at) FILTER (WHERE is_expected = 0) AS lastAt,
         json_group_array(DISTINCT network) FILTER (WHERE network IS NOT NULL) AS networks,
         coalesce(clients_from <= counted_to - ${SHOWN_MS}, 0) AS isWhole
       FROM request_log_client JOIN request_log USING (account_id)
       WHERE account_id = ? ${ofUser} AND last_at >= counted_to - ${SHOWN_MS} GROUP BY user ${end}`,
    );
  const allUsers = prepareUsers<[number, number]>('', 'ORDER BY unknown DESC, clients DESC, user LIMIT ?');
  const oneUser = prepareUsers<[number, string]>('AND user = ?');

  const forget = (accountId: number): void => {
    deleteBefore.run(accountId, Number.MAX_SAFE_INTEGER);
    setWhole.run({ accountId, from: 0, isWhole: 0 });
  };

  const store = (accountId: number, { basis, sightings }: ClientSample): void => {
    if (basisOf.get(accountId) !== basis) {
      forget(accountId);
      setBasis.run(basis, accountId);
    }
    for (const { isExpected, ...sighting } of sightings)
      put.run({ accountId, ...sighting, isExpected: isExpected === null ? null : Number(isExpected) });
    for (const user of new Set(sightings.map((sighting) => sighting.user)))
      for (const isUnknown of [0, 1]) deleteSurplus.run({ accountId, user, isUnknown });
  };

  return {
    forget,
    /** Inside a transaction, when the window is counted. */
    save: (accountId: number, { from, to, clients }: WindowResult): void => {
      if (clients) store(accountId, clients);
      setWhole.run({ accountId, from, isWhole: Number(clients?.isWhole ?? false) });
      // Once an hour.
      if (Math.floor(from / HOUR) !== Math.floor(to / HOUR)) deleteBefore.run(accountId, to - KNOWN_MS);
    },
    all: (accountId: number, limit: number): UserClients[] => allUsers.all(accountId, limit).map(fromRow),
    of: (accountId: number, user: string): UserClients | undefined => {
      const row = oneUser.get(accountId, user);
      return row && fromRow(row);
    },
  };
};

const fromRow = ({ uncompared, isWhole, networks, ...row }: ClientsRow): UserClients => ({
  ...row,
  unknown: row.unknown > 0 || (isWhole === 1 && uncompared === 0) ? row.unknown : null,
  networks: JSON.parse(networks) as string[],
});
