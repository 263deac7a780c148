// Stores the starts of the daemon, and reads them and other events that can explain a jump in a plot.

import type { Range } from '../../lib/time.ts';
import type { ChangedProxies, EventGroup, EventRange, EventStore, InventoryEvents } from '../event-store.ts';
import { INVENTORY_CHANGES } from '../inventory-store.ts';
import { createAdjustmentEvents, onlyOf, REASON_OF_CHANGE } from './adjustments/reasons.ts';
import type { Database } from './file/database.ts';
import { MAX_CHANGES } from './inventory/changes.ts';

/** A daemon that fails again and again after some seconds would fill the store. */
const MAX_STARTS = 1_000;

const groupOf = (from: string, until: string): string =>
  `min(${from}) AS at, max(${until}) AS until, count(*) AS count`;
const steps = (time: string): string => `GROUP BY ${time} / cast(@stepMs AS INTEGER) ORDER BY at`;
const inSteps = (column: string): string => `${column} >= @from AND ${column} < @to ${steps(column)}`;
/** What began before the range is at its start. */
const LATE_AT = 'max(from_at, cast(@from AS INTEGER))';

export const createEventStore = (db: Database): EventStore => {
  const { sql } = db;
  const restarts = sql.prepare<object, EventGroup>(
    `SELECT ${groupOf('at', 'at')} FROM daemon_start WHERE is_restart AND ${inSteps('daemon_start.at')}`,
  );
  const knownSince = db.prepareValue<[], number | null>('SELECT min(at) FROM daemon_start');
  const keptSince = db.prepareValue<[number], number>(
    `SELECT at FROM inventory_change INDEXED BY inventory_change_by_time WHERE account_id = ?
     ORDER BY at DESC LIMIT 1 OFFSET ${MAX_CHANGES - 1}`,
  );
  const lateChanges = sql.prepare<object, EventGroup & { readonly readAt: number }>(
    `SELECT ${groupOf(LATE_AT, 'to_at')}, max(late_change.read_at) AS readAt FROM graph
       CROSS JOIN late_change INDEXED BY late_change_by_graph ON graph_id = graph.id
     WHERE graph.account_id = @accountId AND name = @graph AND from_at < @to AND to_at > @from ${steps(LATE_AT)}`,
  );
  return {
    addStart: async (now) =>
      db.write(() => {
        sql.run('INSERT INTO daemon_start VALUES (NULL, ?, EXISTS (SELECT 1 FROM run))', now);
        sql.run(`DELETE FROM daemon_start WHERE id <= (SELECT max(id) FROM daemon_start) - ${MAX_STARTS}`);
      }),
    startsKnownSince: async () => db.read(() => knownSince.get()) ?? null,
    restarts: db.reading((range) => restarts.all(range)),
    inventoryKeptSince: db.readOf((accountId) => keptSince.get(accountId) ?? 0),
    inventoryChanges: async (account, range, proxies) => {
      const ofKind = sql.prepare<object, Omit<InventoryEvents, 'reason'>>(changesQuery(proxies));
      const values = { ...proxies, accountId: db.knownAccountId(account), stepMs: range.stepMs };
      const reasonOf = reasonReader(db, proxies, values);
      const found: InventoryEvents[] = [];
      for (const change of INVENTORY_CHANGES)
        for (const slice of slicesOf(range)) {
          const groups = () => ofKind.all({ ...values, ...slice, change });
          found.push(...db.read(() => groups().map((group) => ({ ...group, reason: reasonOf(group) }))));
          await new Promise(setImmediate);
        }
      return found;
    },
    adjustments: createAdjustmentEvents(db),
    lateChanges: db.readOf((accountId, graph, range) => lateChanges.all({ ...range, accountId, graph })),
  };
};

const COLUMNS = { proxyId: 'proxy_id', serviceId: 'service_id', productType: 'product_type' } as const;

/** The index by kind has all that is read unless only some proxies are asked for. */
const changesQuery = (proxies: ChangedProxies): string =>
  `SELECT @change AS change, ${groupOf('at', 'at')} ${changesOf(proxies)} ${inSteps('inventory_change.at')}`;

const changesOf = (proxies: ChangedProxies): string => {
  const index = proxies.proxyId === undefined ? 'inventory_change_by_kind' : 'inventory_change_by_proxy';
  const conditions = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).flatMap((name) =>
    proxies[name] === undefined ? [] : [`${COLUMNS[name]} = @${name} AND`],
  );
  return `FROM inventory_change INDEXED BY ${index}
    WHERE account_id = @accountId AND change = @change AND ${conditions.join(' ')}`;
};

/** The reason of each change is a query of some microseconds, so it is not looked up for more. */
const MAX_WITH_REASONS = 5_000;
/** These changes never have a reason. */
const UNEXPLAINED: readonly string[] = ['asn', 'city'];

const reasonReader = (db: Database, proxies: ChangedProxies, values: { readonly accountId: number }) => {
  const hasReplacements = db.read(() =>
    db.sql.get('SELECT 1 FROM proxy_replacement WHERE account_id = ? LIMIT 1', values.accountId),
  );
  const reasons = db.prepareValue<object, string | null>(
    `SELECT DISTINCT ${REASON_OF_CHANGE} ${changesOf(proxies)} inventory_change.at BETWEEN @at AND @until`,
  );
  return (group: Omit<InventoryEvents, 'reason'>): string | null =>
    hasReplacements && group.count <= MAX_WITH_REASONS && !UNEXPLAINED.includes(group.change)
      ? onlyOf(reasons.all({ ...values, ...group }))
      : null;
};

/** An account can have 100,000 changes, so a slice has few of a range's steps: that takes a few milliseconds. */
const SLICE_STEPS = 25;

/** Slices end with a step, so that no step is in two groups. */
function* slicesOf({ from, to, stepMs }: EventRange): Generator<Range> {
  const sliceMs = SLICE_STEPS * stepMs;
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / sliceMs) + 1) * sliceMs);
    yield { from: start, to: end };
    start = end;
  }
}
