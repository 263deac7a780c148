// Tests the store of adjustments: each status of each adjustment counts once in drawn lives of a listing, and a replaced proxy
// has its reason whether its adjustment or its change is stored first.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Adjustment, AdjustmentLabels } from '../../src/store/adjustment-store.ts';
import type { InventoryProxy } from '../../src/store/inventory-store.ts';
import { MAX_ADJUSTMENTS } from '../../src/store/sqlite/adjustments/adjustments.ts';
import { REASON_OF_CHANGE } from '../../src/store/sqlite/adjustments/reasons.ts';
import type { Store } from '../../src/store/store.ts';
import { cases } from '../support/fuzz.ts';
import { moveStores } from './move/move-account.ts';
import { makeFolder, START, TestStore } from './support.ts';

const NO_CHANGES = {
  ...{ quantityBefore: null, quantityAfter: null, expiryBefore: null, expiryAfter: null },
  ...{ totalBefore: null, totalAfter: null },
};
const adjustmentOf = (values: Partial<Adjustment>): Adjustment => ({
  ...{ id: '1', serviceId: 's', type: 'proxy_replacement', status: 'complete', by: 'customer' },
  ...{ createdAt: START, updatedAt: START, changes: NO_CHANGES, replacements: null },
  ...values,
});

const labelsOf = ({ type, status, by }: Pick<Adjustment, 'type' | 'status' | 'by'>): AdjustmentLabels => ({
  ...{ type: type ?? '', status: status ?? '', by: by ?? '' },
});

const save = (store: Store, adjustments: readonly Adjustment[], at = START): Promise<void> =>
  store.adjustments.savePage('main', { adjustments, startedAt: at, now: at, labelsOf });

/** Returns a column of the rows that a query has. */
const rowsOf = ({ path }: TestStore, query: string, column = 0): unknown[] => {
  const sql = new SQLite(path, { readonly: true });
  try {
    return sql
      .prepare<[], unknown[]>(query)
      .raw()
      .all()
      .map((row) => row[column]);
  } finally {
    sql.close();
  }
};

const STATUSES = ['pending', 'complete', 'failed', 'new_word', null];
const step = fc.record({
  /** Ids with the statuses that they have. Repeats and any order are possible. */
  rows: fc.array(fc.tuple(fc.constantFrom('1', '2', '3', '4', '5'), fc.constantFrom(...STATUSES)), {
    maxLength: 12,
  }),
  isComplete: fc.boolean(),
  after: fc.constantFrom('nothing', 'restart', 'crash'),
});

/** Counts in memory what the store must count. */
class Oracle {
  readonly #reached = new Map<string, Set<string>>();
  readonly #history = new Set<string>();
  #isBaselined = false;
  count = 0;

  saw(id: string, status: string | null): void {
    const reached = this.#reached.get(id) ?? new Set();
    if (!this.#reached.has(id) && !this.#isBaselined) this.#history.add(id);
    this.#reached.set(id, reached);
    if (status === null || reached.has(status)) return;
    const isHistory = !this.#isBaselined || (this.#history.has(id) && reached.size === 0);
    reached.add(status);
    this.count += Number(!isHistory);
  }

  completed(): void {
    this.#isBaselined = true;
  }
}

const sumOf = async ({ adjustments }: Store, of: 'net' | 'served'): Promise<number> =>
  (await adjustments.counters('main')).reduce((sum, { counter }) => sum + counter[of], 0);

it('each status of an adjustment counts once after the baseline, in any order, with repeats and restarts', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      using files = new TestStore();
      const oracle = new Oracle();
      for (const [index, { rows, isComplete, after }] of steps.entries()) {
        const at = START + index * HOUR;
        await save(
          files.store,
          rows.map(([id, status]) => adjustmentOf({ id, status })),
          at,
        );
        for (const [id, status] of rows) oracle.saw(id, status);
        if (isComplete) await files.store.adjustments.completeListing('main', at, at);
        if (isComplete) oracle.completed();
        if (after === 'restart') files.restart();
        if (after === 'crash') files.crash();
        expect(await sumOf(files.store, 'net')).toBe(oracle.count);
        expect(await sumOf(files.store, 'served')).toBe(oracle.count);
      }
    }),
    cases(15),
  );
});

it('a value that is not given stays, and an adjustment keeps the time of its creation', async () => {
  using files = new TestStore();
  const replacements = [{ reason: 'outage', oldAddress: 'a', newAddress: 'b' }];
  const changes = { ...NO_CHANGES, quantityAfter: 3 };
  await save(files.store, [adjustmentOf({ replacements, changes })]);
  await save(files.store, [
    adjustmentOf({ type: null, status: null, by: null, createdAt: null, serviceId: null }),
  ]);
  expect(await files.store.adjustments.newest('main', 10)).toMatchObject([
    { ...adjustmentOf({ replacements, changes }), at: START },
  ]);
});

it('the recent adjustments are those of the newest updates that are not in the future', async () => {
  using files = new TestStore();
  const { adjustments } = files.store;
  const rows = [0, 1, 2, 3].map((day) => adjustmentOf({ id: `${day}`, updatedAt: START + day * DAY }));
  await save(files.store, rows);
  const ids = (await adjustments.recent('main', START + 2.5 * DAY)).map(({ id }) => id);
  expect(ids).toEqual(['2', '1', '0']);
});

it('an adjustment that was created more than a day before the baseline is history', async () => {
  using files = new TestStore();
  await files.store.adjustments.completeListing('main', START, START);
  for (const [id, createdAt, count] of [
    ['1', START - 2 * DAY, 0],
    ['2', START - HOUR, 1],
    ['3', null, 2],
  ] as const) {
    await save(files.store, [adjustmentOf({ id, createdAt })], START + HOUR);
    expect(await sumOf(files.store, 'net')).toBe(count);
  }
  await save(
    files.store,
    [adjustmentOf({ id: '1', createdAt: START - 2 * DAY, status: 'failed' })],
    START + HOUR,
  );
  expect(await sumOf(files.store, 'net')).toBe(3);
});

it('the oldest adjustments are deleted with their replacements, and are not stored again', async () => {
  using files = new TestStore();
  const { adjustments } = files.store;
  const replacements = Array.from({ length: 1_001 }, () => ({
    reason: null,
    oldAddress: 'a',
    newAddress: 'b',
  }));
  const rows = Array.from({ length: MAX_ADJUSTMENTS + 1 }, (_, index) =>
    adjustmentOf({ id: `${index}`, createdAt: START + index, replacements: index < 2 ? replacements : null }),
  );
  await save(files.store, rows);
  await adjustments.trim('main');
  const oldestKept = await adjustments.oldestKept('main');
  expect(oldestKept).toEqual({ at: START + 1, id: '1' });
  await adjustments.savePage('main', {
    ...{ adjustments: rows.slice(0, 1), startedAt: START, now: START },
    labelsOf,
    oldestKept,
  });
  const kept = await adjustments.newest('main', MAX_ADJUSTMENTS + 1);
  expect(kept).toHaveLength(MAX_ADJUSTMENTS);
  expect(kept.at(-1)?.replacements).toHaveLength(1_000);
  expect(rowsOf(files, 'SELECT count(*) FROM proxy_replacement')).toEqual([1_000]);
});

const PROXY: InventoryProxy = {
  ...{ id: 'p', productType: 'isp', protocol: null, status: null, address: 'old', httpPort: null },
  ...{ socks5Port: null, subnetId: null, asnId: null, asnName: null, cityId: null, cityName: null },
  ...{ countryId: null, serviceId: 's', addressV6: null, addressIdV4: null, addressIdV6: null },
  ...{ subnetIdV6: null, lineItemId: null, updatedAt: null, users: null, userIds: null, latitude: null },
  ...{ longitude: null, examplePostcode: null, timeZone: null, countryName: null },
  ...{ subdivisionId: null, subdivisionName: null },
};

describe('a replaced proxy', () => {
  const replaced = (values: Partial<Adjustment> = {}) =>
    adjustmentOf({
      replacements: [{ reason: 'ip_reputation', oldAddress: 'old', newAddress: 'new' }],
      ...values,
    });

  const list = async ({ inventory }: Store, hours: readonly number[], proxies: readonly InventoryProxy[]) => {
    for (const hour of hours)
      await inventory.saveListing('main', {
        ...{ changed: proxies, seenIds: new Set(proxies.map(({ id }) => id)), isComplete: true },
        ...{ startedAt: START + hour * HOUR, now: START + hour * HOUR },
      });
  };

  const reasonsOf = async ({ inventory, events }: Store): Promise<Record<string, unknown>> => {
    const named = await inventory.nameChanges('main', await inventory.newestChanges('main', 10));
    const range = { from: START, to: START + DAY, stepMs: MINUTE };
    const groups = await events.inventoryChanges('main', range, {});
    const reasons = (of: readonly { readonly change: string; readonly reason: string | null }[]) =>
      Object.fromEntries(of.map(({ change, reason }) => [change, reason]));
    expect(reasons(groups)).toEqual(reasons(named));
    return reasons(named);
  };

  const WITH_NEW_ADDRESS = [{ ...PROXY, address: 'new' }];
  const WITH_NEW_ID = [{ ...PROXY, id: 'q', address: 'new' }];
  const reason = 'ip_reputation';

  it.each([
    ['another address', WITH_NEW_ADDRESS, {}, { address: reason }],
    ['another id', WITH_NEW_ID, {}, { appeared: reason, gone: reason }],
    ['a failed adjustment', WITH_NEW_ADDRESS, { status: 'failed' }, { address: null }],
    ['another service', WITH_NEW_ID, { serviceId: 't' }, { appeared: null, gone: null }],
    ['another time', WITH_NEW_ADDRESS, { createdAt: START - 30 * DAY, updatedAt: null }, { address: null }],
    ['no time', WITH_NEW_ADDRESS, { createdAt: null, updatedAt: null }, { address: null }],
  ])('has its reason in both orders: %s', async (_, proxies, values, expected) => {
    for (const isAdjustmentFirst of [true, false]) {
      using files = new TestStore();
      await list(files.store, [0], [PROXY]);
      if (isAdjustmentFirst) await save(files.store, [replaced(values)]);
      await list(files.store, [1, 2], proxies);
      if (!isAdjustmentFirst) await save(files.store, [replaced(values)]);
      expect(await reasonsOf(files.store)).toEqual(expected);
    }
  });

  it('has no reason if another proxy has its address', async () => {
    using files = new TestStore();
    const other = { ...PROXY, id: 'r' };
    await list(files.store, [0], [PROXY, other]);
    await save(files.store, [replaced()]);
    await list(files.store, [1, 2], [other]);
    expect(await reasonsOf(files.store)).toEqual({ gone: null });
  });

  it('has its reason among thousands of the same time', async () => {
    using files = new TestStore();
    const proxies = Array.from({ length: 1_200 }, (_, index) => ({
      ...PROXY,
      id: `${index}`,
      address: `old ${index}`,
    }));
    await list(files.store, [0], proxies);
    const moved = proxies.map((proxy, index) => ({ ...proxy, address: `new ${index}` }));
    const replacements = proxies
      .slice(0, 700)
      .map((_, index) => ({ reason, oldAddress: `old ${index}`, newAddress: null }));
    const others = proxies
      .slice(700)
      .map((_, index) => ({ reason, oldAddress: null, newAddress: `new ${index + 700}` }));
    await save(files.store, [
      replaced({ id: '1', replacements }),
      replaced({ id: '2', replacements: others }),
    ]);
    await list(files.store, [1, 2], moved);
    const range = { from: START, to: START + DAY, stepMs: MINUTE };
    expect(await files.store.events.inventoryChanges('main', range, {})).toMatchObject([
      { count: 1_200, reason },
    ]);
  });

  it('is found by its addresses and not by its account', () => {
    using files = new TestStore();
    const plan = rowsOf(files, `EXPLAIN QUERY PLAN SELECT ${REASON_OF_CHANGE} FROM inventory_change`, 3).join(
      '; ',
    );
    expect(plan).toContain('MULTI-INDEX OR');
    expect(plan).toContain('proxy_replacement_by_old_address (account_id=? AND old_address=?)');
    expect(plan).toContain('proxy_replacement_by_new_address (account_id=? AND new_address=?)');
  });

  it('is an event with its service, reason and changes; several of a kind are one', async () => {
    using files = new TestStore();
    await save(files.store, [
      replaced({ id: '1', changes: { ...NO_CHANGES, totalAfter: 5 }, updatedAt: START + HOUR }),
      ...['2', '3'].map((id) => replaced({ id, createdAt: START + DAY, updatedAt: null, serviceId: 't' })),
    ]);
    const range = { from: START, to: START + 2 * DAY, stepMs: MINUTE };
    const of = { type: 'proxy_replacement', status: 'complete', by: 'customer' };
    const single = {
      ...{ at: START + HOUR, until: START + HOUR, count: 1, ...of, serviceId: 's', reason },
      changes: { ...NO_CHANGES, totalAfter: 5 },
    };
    const several = {
      ...of,
      at: START + DAY,
      until: START + DAY,
      count: 2,
      serviceId: null,
      reason: null,
      changes: null,
    };
    expect(await files.store.events.adjustments('main', range, {})).toEqual([single, several]);
    expect(await files.store.events.adjustments('main', range, { serviceId: 's' })).toEqual([single]);
  });
});

it('adjustments move with their account, and are deleted with it', async () => {
  using from = new TestStore();
  using to = new TestStore();
  const replacements = [{ reason: 'outage', oldAddress: 'a', newAddress: 'b' }];
  await save(from.store, [adjustmentOf({ replacements })]);
  const expected = await from.store.adjustments.newest('main', 9);
  to.store[Symbol.dispose]();
  from.store[Symbol.dispose]();
  await moveStores(from.path, to.path, join(makeFolder(), 'moved.db'), START);
  to.restart();
  expect(await to.store.adjustments.newest('main', 9)).toEqual(expected);
  expect(rowsOf(to, 'SELECT reason FROM proxy_replacement')).toEqual(['outage']);
  const retention = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
  const { signal } = new AbortController();
  await to.store.maintain({ now: START + 500 * DAY, retention, accounts: [], signal });
  expect(rowsOf(to, 'SELECT id FROM service_adjustment')).toEqual([]);
  expect(rowsOf(to, 'SELECT reason FROM proxy_replacement')).toEqual([]);
});

describe('the adjustments of a range', () => {
  const RANGE = { from: START, to: START + DAY, stepMs: MINUTE };

  it.each([
    ['created before and finished in it', { updatedAt: START + HOUR }, START + HOUR],
    ['created before and pending', { status: 'pending' }, START],
    ['finished before', {}, null],
    ['of another status, and updated in it', { status: 'new_word', updatedAt: START + HOUR }, START],
    [
      'created in it and finished after it',
      { createdAt: START + HOUR, updatedAt: START + 2 * DAY },
      START + HOUR,
    ],
    ['created after it', { createdAt: START + DAY, updatedAt: null }, null],
  ])('are those that overlap it: %s', async (_, values, at) => {
    using files = new TestStore();
    await save(files.store, [
      adjustmentOf({ createdAt: START - 2 * DAY, updatedAt: START - DAY, ...values }),
    ]);
    const found = await files.store.events.adjustments('main', RANGE, {});
    expect(found.map((each) => each.at)).toEqual(at === null ? [] : [at]);
  });

  it('are selected by the product type of their service', async () => {
    using files = new TestStore();
    await save(files.store, [adjustmentOf({}), adjustmentOf({ id: '2', serviceId: 't' })]);
    await files.store.inventory.saveListing('main', {
      ...{ changed: [PROXY], seenIds: new Set(['p']), isComplete: true, startedAt: START, now: START },
    });
    const servicesOf = async (productType: string) =>
      (await files.store.events.adjustments('main', RANGE, { productType })).map(
        ({ serviceId }) => serviceId,
      );
    expect(await servicesOf('isp')).toEqual(['s']);
    expect(await servicesOf('mobile')).toEqual([]);
  });
});
