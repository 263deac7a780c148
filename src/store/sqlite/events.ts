// Stores the starts of the daemon, and reads them and other events that can explain a jump in a plot.

import type { EventGroup, EventStore, InventoryEvents } from '../event-store.ts';
import { INVENTORY_CHANGES } from '../inventory-store.ts';
import type { Database } from './file/database.ts';

/** A daemon that fails again and again after some seconds would fill the store. */
const MAX_STARTS = 1_000;

const groupOf = (from: string, until: string): string =>
  `min(${from}) AS at, max(${until}) AS until, count(*) AS count`;
const inSteps = (column: string): string =>
  `${column} >= @from AND ${column} < @to GROUP BY ${column} / cast(@stepMs AS INTEGER) ORDER BY at`;

export const createEventStore = (db: Database): EventStore => {
  const { sql } = db;
  const restarts = sql.prepare<object, EventGroup>(
    `SELECT ${groupOf('at', 'at')} FROM daemon_start WHERE is_restart AND ${inSteps('daemon_start.at')}`,
  );
  const knownSince = db.prepareValue<[], number | null>('SELECT min(at) FROM daemon_start');
  const lateChanges = sql.prepare<object, EventGroup & { readonly readAt: number }>(
    `SELECT ${groupOf('from_at', 'to_at')}, max(late_change.read_at) AS readAt FROM graph
       CROSS JOIN late_change INDEXED BY late_change_by_graph ON graph_id = graph.id
     WHERE graph.account_id = @accountId AND name = @graph AND ${inSteps('from_at')}`,
  );
  return {
    addStart: async (now) =>
      db.write(() => {
        sql.run('INSERT INTO daemon_start VALUES (NULL, ?, EXISTS (SELECT 1 FROM run))', now);
        sql.run(`DELETE FROM daemon_start WHERE id <= (SELECT max(id) FROM daemon_start) - ${MAX_STARTS}`);
      }),
    startsKnownSince: async () => db.read(() => knownSince.get()) ?? null,
    restarts: async (range) => db.read(() => restarts.all(range)),
    inventoryChanges: db.readOf((accountId, range, proxies) => {
      const { proxyId, serviceId, productType } = proxies;
      const values = { ...range, accountId, proxyId, serviceId, productType };
      // The index by kind has all that is read unless only some proxies are asked for.
      const index = proxyId === undefined ? 'inventory_change_by_kind' : 'inventory_change_by_proxy';
      const conditions = [
        proxyId === undefined ? null : 'proxy_id = @proxyId',
        serviceId === undefined ? null : 'service_id = @serviceId',
        productType === undefined ? null : 'product_type = @productType',
      ].filter((condition) => condition !== null);
      const ofKind = sql.prepare<object, InventoryEvents>(
        `SELECT @change AS change, ${groupOf('at', 'at')} FROM inventory_change INDEXED BY ${index}
         WHERE ${['account_id = @accountId', 'change = @change', ...conditions, inSteps('inventory_change.at')].join(' AND ')}`,
      );
      return INVENTORY_CHANGES.flatMap((change) => ofKind.all({ ...values, change }));
    }),
    lateChanges: db.readOf((accountId, graph, range) => lateChanges.all({ ...range, accountId, graph })),
  };
};
