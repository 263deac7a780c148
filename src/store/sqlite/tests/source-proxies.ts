// Stores the proxies that each source has found for testing, and the proxies that are tested.

import {
  type ProxyFacts,
  type SourceProxy,
  type SourceProxyStore,
  type StoredSourceProxy,
  TESTED_PROXIES,
} from '../../source-proxy-store.ts';
import type { Database } from '../file/database.ts';
import { describeRow, plain } from '../row.ts';
import { deleteInSlices, SLICE_ROWS, writeInSlices } from '../slices.ts';

type Row = Omit<SourceProxy, 'facts'> & { readonly [name in keyof ProxyFacts]: string | null };
type StoredRow = Row & Pick<StoredSourceProxy, 'since' | 'inventoryId'>;

const ROW = describeRow<Row>({
  ...plain('id name providerId productType protocol host port username status address countryId cityName'),
  ...plain('asnId asnName subnetId serviceId'),
});
const STORED_COLUMNS = `${ROW.selected}, since, inventory_id AS inventoryId`;

export const createSourceProxyStore = (db: Database): SourceProxyStore => {
  const { sql } = db;
  const proxiesAt = db.rowsOf(
    `SELECT ${ROW.selected} FROM source_proxy
     WHERE account_id = ? AND source = ? AND host = ? AND port = ? AND protocol = ? LIMIT 2`,
    fromRow,
  );
  const setInventoryId = sql.prepare(
    `UPDATE source_proxy SET inventory_id = @inventoryId
     WHERE account_id = @accountId AND source = @source AND id = @id AND inventory_id IS NOT @inventoryId`,
  );
  const sinceOf = db.rowsOf(
    'SELECT id, since FROM source_proxy WHERE account_id = ? AND source = ?',
    ({ id, since }: StoredRow) => [id, since] as const,
  );
  // The id of the inventory belongs to the endpoint. A proxy that is configured with another one is another proxy.
  const put = sql.prepare(
    `INSERT OR REPLACE INTO source_proxy (account_id, source, ${ROW.columns}, since, inventory_id)
     VALUES (@accountId, @source, ${ROW.values},
       coalesce((SELECT since FROM source_proxy WHERE account_id = @accountId AND source = @source AND id = @id), @now),
       coalesce(@providerId, (SELECT inventory_id FROM source_proxy WHERE account_id = @accountId AND source = @source
         AND id = @id AND protocol = @protocol AND host = @host AND port = @port)))`,
  );
  const remove = sql.prepare('DELETE FROM source_proxy WHERE account_id = ? AND source = ? AND id = ?');
  const removeOthers = sql.prepare(
    `DELETE FROM source_proxy WHERE account_id = ? AND source NOT IN (SELECT value FROM json_each(?)) LIMIT ${SLICE_ROWS}`,
  );

  return {
    of: db.rowsOf(
      `SELECT ${ROW.selected} FROM source_proxy WHERE account_id = ? AND source = ? ORDER BY id`,
      fromRow,
    ),
    find: db.rowOf(
      `SELECT ${STORED_COLUMNS} FROM source_proxy WHERE account_id = ? AND source = ? AND id = ?`,
      fromStoredRow,
    ),
    at: (account, source, { protocol, host, port }) => proxiesAt(account, source, host, port, protocol),
    withInventoryId: db.rowsOf(
      `SELECT ${STORED_COLUMNS} FROM source_proxy INDEXED BY source_proxy_by_inventory_id
       WHERE account_id = ? AND source = ? AND inventory_id = ? LIMIT 2`,
      fromStoredRow,
    ),
    saveInventoryIds: async (account, source, inventoryIds) => {
      const accountId = db.knownAccountId(account);
      await writeInSlices(db, [...inventoryIds], (slice) => {
        for (const [id, inventoryId] of slice) setInventoryId.run({ inventoryId, accountId, source, id });
      });
    },
    since: async (account, source) => new Map(await sinceOf(account, source)),
    save: async (account, source, changed, removedIds, now) => {
      const accountId = db.accountId(account);
      // A crash may leave some of this undone. The next read of the source finds the rest by comparing.
      await writeInSlices(db, removedIds, (slice) => {
        for (const id of slice) remove.run(accountId, source, id);
      });
      await writeInSlices(db, changed, (slice) => {
        for (const proxy of slice) put.run({ accountId, source, now, ...toRow(proxy) });
      });
    },
    retain: async (account, sources) => {
      const accountId = db.accountId(account);
      const kept = JSON.stringify([...sources, TESTED_PROXIES]);
      await deleteInSlices(db, () => removeOthers.run(accountId, kept).changes);
    },
  };
};

const toRow = ({ facts, ...proxy }: SourceProxy): Row => ({ ...proxy, ...(facts ?? NO_FACTS) });

const NO_FACTS = {
  ...{ status: null, address: null, countryId: null, cityName: null },
  ...{ asnId: null, asnName: null, subnetId: null, serviceId: null },
};

const fromRow = (row: Row): SourceProxy => {
  const { id, name, providerId, productType, protocol, host, port, username, ...facts } = row;
  const proxy = { id, name, providerId, productType, protocol, host, port, username };
  return { ...proxy, facts: hasFacts(facts) ? facts : null };
};

const fromStoredRow = ({ since, inventoryId, ...row }: StoredRow): StoredSourceProxy => ({
  ...fromRow(row),
  since,
  inventoryId,
});

/** All facts are stored together or not at all. */
const hasFacts = (facts: Record<keyof ProxyFacts, string | null>): facts is ProxyFacts =>
  facts.status !== null;
