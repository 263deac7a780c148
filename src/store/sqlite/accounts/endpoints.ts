// Stores the state of each account's endpoints.

import type { EndpointStore, StoredEndpoint } from '../../endpoint-store.ts';
import type { Database } from '../file/database.ts';

interface UnreachedRow {
  readonly since: number | null;
  readonly newestAt: number | null;
}

export const createEndpointStore = (db: Database): EndpointStore => {
  const { sql } = db;
  const endpointsOf = sql.prepare<[number], StoredEndpoint>(
    `SELECT endpoint, last_success_at AS lastSuccessAt, rejected_since AS rejectedSince,
       rejected_status AS rejectedStatus, refused_since AS refusedSince, paused_until AS pausedUntil
     FROM endpoint WHERE account_id = ? ORDER BY endpoint`,
  );
  const unreachedOf = sql.prepare<[number], UnreachedRow>(
    'SELECT unreached_since AS since, unreached_at AS newestAt FROM account WHERE id = ?',
  );
  const clear = sql.prepare<[number]>('DELETE FROM endpoint WHERE account_id = ?');
  const put = sql.prepare(
    `INSERT INTO endpoint (account_id, endpoint, last_success_at, rejected_since, rejected_status, refused_since, paused_until)
     VALUES (@accountId, @endpoint, @lastSuccessAt, @rejectedSince, @rejectedStatus, @refusedSince, @pausedUntil)`,
  );
  const putUnreached = sql.prepare<[number | null, number | null, number]>(
    'UPDATE account SET unreached_since = ?, unreached_at = ? WHERE id = ?',
  );
  return {
    load: async (account) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const { since = null, newestAt = null } = unreachedOf.get(accountId) ?? {};
        return {
          endpoints: endpointsOf.all(accountId),
          unreached: since === null || newestAt === null ? null : { since, newestAt },
        };
      }),
    save: async (account, { endpoints, unreached }) => {
      const accountId = db.accountId(account);
      db.write(() => {
        clear.run(accountId);
        for (const endpoint of endpoints) put.run({ accountId, ...endpoint });
        putUnreached.run(unreached?.since ?? null, unreached?.newestAt ?? null, accountId);
      });
    },
  };
};
