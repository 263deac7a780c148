// Tests the store of use in drawn lives of a day: rows grow, are summarised, corrected, listed twice and missed; passes are
// interrupted, and the store is opened again. The oracle is what the newest whole listing had.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { shownCounter } from '../../src/store/counter.ts';
import { dayOf, newUsePass, type Use, type UseCounterGroup } from '../../src/store/log-summary-store.ts';
import type { Store } from '../../src/store/store.ts';
import { cases } from '../support/fuzz.ts';
import { makeFolder, openStore } from './support.ts';

const DAY_TIME = dayOf('2026-07-06');
const USERS = ['ann', 'bob', ''];
const NETWORKS = ['isp', 'residential'];
const HOSTNAMES = ['a.one.example', 'b.one.example', 'two.example', '*.one.example', ''];

const row = fc.record({
  user: fc.constantFrom(...USERS),
  network: fc.constantFrom(...NETWORKS),
  hostname: fc.constantFrom(...HOSTNAMES),
  bytes: fc.integer({ min: 0, max: 1_000 }),
});
const listing = fc.record({
  rows: fc.uniqueArray(row, {
    maxLength: 20,
    selector: ({ user, network, hostname }) => `${user} ${network} ${hostname}`,
  }),
  /** What happens to the pass: it ends, misses rows, or is broken off after some rows. */
  fate: fc.constantFrom('whole', 'whole', 'whole', 'missing', 'broken'),
  isReopened: fc.boolean(),
  /** Whether rows have new ids, and whether all are listed a second time. */
  hasNewIds: fc.boolean(),
  isRepeated: fc.boolean(),
});
type Listing = typeof listing extends fc.Arbitrary<infer T> ? T : never;

const usesOf = ({ rows, hasNewIds }: Listing, index: number): Use[] =>
  rows.map(({ user, network, hostname, bytes }) => ({
    id: `${user}/${network}/${hostname}${hasNewIds ? `/${index}` : ''}`,
    ...{ user, network, hostname, values: [bytes, 1, bytes - (bytes % 7), 1] },
  }));

const endOf = (index: number, isComplete: boolean) => ({
  startedAt: DAY_TIME + (index + 1) * HOUR,
  now: DAY_TIME + (index + 1) * HOUR + 1_000,
  ...{ dayEnd: DAY_TIME + DAY, isComplete, lacksRows: false, isToday: true, top: { user: 1, hostname: 2 } },
});

const read = async (store: Store, each: Listing, index: number): Promise<void> => {
  const { logSummaries } = store;
  await logSummaries.begin('main', DAY_TIME);
  const [pass, uses] = [newUsePass(DAY_TIME), usesOf(each, index)];
  const seen = each.fate === 'whole' ? uses : uses.slice(0, uses.length / 2);
  for (const page of [seen.slice(0, 5), seen.slice(5), each.isRepeated ? seen : []])
    await logSummaries.saveRows('main', pass, page);
  if (each.fate !== 'broken') await logSummaries.end('main', pass, endOf(index, each.fate === 'whole'));
};

const chargedOf = (uses: readonly Use[]): number =>
  uses.reduce((sum, { values }) => sum + (values[2] ?? 0), 0);

const storedCharged = async (store: Store, by: 'user' | 'hostname', network?: string): Promise<number> => {
  const { total, sums } = await store.logSummaries.sums('main', {
    from: 0,
    to: DAY_TIME,
    by,
    limit: 100,
    network,
  });
  const sum = sums.reduce((all, { values }) => all + (values[2] ?? 0), 0);
  expect(sum).toBe(total?.values[2] ?? 0);
  const byType = METERED_TYPES.map((type) =>
    sums.reduce((all, { charged }) => all + (charged[type] ?? 0), 0),
  );
  expect(byType).toEqual(METERED_TYPES.map((type) => total?.charged[type] ?? 0));
  for (const [index, type] of METERED_TYPES.entries()) if (type === network) expect(byType[index]).toBe(sum);
  return sum;
};

const netOf = (groups: readonly UseCounterGroup[], isChosen: (group: UseCounterGroup) => boolean): number =>
  groups.filter(isChosen).reduce((sum, { counters }) => sum + (counters.chargedBytes?.net ?? 0), 0);

it('sums and counters are those of the newest whole listing, and no counter falls', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(listing, { minLength: 2, maxLength: 8 }), async (listings) => {
      const path = join(makeFolder(), 'store.db');
      let store = openStore(path);
      const highest = new Map<string, number>();
      let baseline: number | undefined;
      for (const [index, each] of listings.entries()) {
        await read(store, each, 3 * index);
        if (each.isReopened) {
          store[Symbol.dispose]();
          store = openStore(path);
        }
        const { groups, storedAt } = await store.logSummaries.counters('main');
        for (const { network, of, counters } of groups) {
          const [key, counter] = [JSON.stringify([network, of]), counters.chargedBytes];
          const value = counter ? shownCounter(counter, storedAt).value : 0;
          expect(value).toBeGreaterThanOrEqual(highest.get(key) ?? 0);
          highest.set(key, value);
        }
        if (each.fate !== 'whole') continue;
        // Still with rows that only this listing lacks, which can be an accident.
        baseline ??= await storedCharged(store, 'user');
        await read(store, { ...each, hasNewIds: false }, 3 * index + 1);
        await read(store, { ...each, hasNewIds: false }, 3 * index + 2);
        const all = chargedOf(usesOf(each, index));
        expect(await storedCharged(store, 'user')).toBe(all);
        expect(await storedCharged(store, 'hostname')).toBe(all);
        const { groups: settled } = await store.logSummaries.counters('main');
        expect(netOf(settled, ({ of }) => of === null)).toBe(all - baseline);
      }
      store[Symbol.dispose]();
    }),
    cases(20),
  );
});

it('the counters of all names have what the network has, as long as the top does not change', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  const rows = (bytes: number) =>
    USERS.flatMap((user) =>
      HOSTNAMES.slice(0, 3).map((hostname) => ({ user, network: 'isp', hostname, bytes })),
    );
  const each = { fate: 'whole', isReopened: false, hasNewIds: false, isRepeated: false } as const;
  await read(store, { ...each, rows: rows(700) }, 0);
  await read(store, { ...each, rows: rows(1_400) }, 1);
  const { groups } = await store.logSummaries.counters('main');
  const nets = ['user', 'hostname'].map((kind) => netOf(groups, ({ of }) => of?.kind === kind));
  expect(nets).toEqual([6_300, 6_300]);
  expect(groups.filter(({ of }) => of?.kind === 'hostname' && of.name !== null)).toHaveLength(2);
});

it('use that is never given is unknown, and not 0', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  const pass = newUsePass(DAY_TIME);
  const use = { id: 'x', user: 'ann', network: 'isp', hostname: 'two.example' };
  await store.logSummaries.saveRows('main', pass, [{ ...use, values: [5, null, null, null] }]);
  await store.logSummaries.end('main', pass, endOf(0, true));
  const { total } = await store.logSummaries.sums('main', { from: 0, to: DAY_TIME, by: 'user', limit: 1 });
  expect(total?.values).toEqual([5, null, null, null]);
});

const USE = { user: 'ann', network: 'isp', hostname: 'two.example' };
const usesWith = (...bytes: number[]): Use[] =>
  bytes.map((each, i) => ({ ...USE, id: `id-${i}`, hostname: `h${i}.example`, values: [each, 1, each, 1] }));

/** Reads a day whole. Returns false if it may not be read. */
const readDay = async (store: Store, uses: readonly Use[], day: number, index: number): Promise<boolean> => {
  if (!(await store.logSummaries.begin('main', day))) return false;
  const pass = newUsePass(day);
  await store.logSummaries.saveRows('main', pass, uses);
  const isToday = day === DAY_TIME;
  await store.logSummaries.end('main', pass, { ...endOf(index, true), dayEnd: day + DAY, isToday });
  return true;
};

const chargedNet = async (store: Store): Promise<number> =>
  netOf((await store.logSummaries.counters('main')).groups, ({ of }) => of === null);

it('a row whose values are not given again keeps them, and adds nothing to another row of its name', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  const [known, unknown] = [
    [10, 1, 10, 1],
    [5, null, null, null],
  ];
  for (const second of [known, unknown]) {
    const listed = [known, second].map((values, i) => ({ ...USE, id: `id-${i}`, values }));
    await readDay(store, listed, DAY_TIME, 0);
  }
  expect(await storedCharged(store, 'user')).toBe(10);
});

it('no row is missing while one does not decode', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  const rowsOf = (...names: string[]): Use[] =>
    names.map((hostname) => ({ ...USE, id: hostname, hostname, values: [10, 1, 10, 1] }));
  await readDay(store, rowsOf('a.one.example', '*.one.example'), DAY_TIME, 0);
  for (const index of [1, 2, 3]) {
    await store.logSummaries.begin('main', DAY_TIME);
    const pass = newUsePass(DAY_TIME);
    await store.logSummaries.saveRows('main', pass, rowsOf('*.one.example', 'new.one.example'));
    await store.logSummaries.end('main', pass, { ...endOf(index, true), lacksRows: true });
  }
  expect(await storedCharged(store, 'user')).toBe(20);
  await readDay(store, rowsOf('*.one.example', 'new.one.example'), DAY_TIME, 4);
  expect(await storedCharged(store, 'user')).toBe(20);
});

it.each([['a1 a2'], ['a1 a2 a2'], ['a1 a2 a1'], ['a1 a1 a2 a1 a2']])(
  'two rows of one name count once each, in the order %s',
  async (order) => {
    using store = openStore(join(makeFolder(), 'store.db'));
    const uses = { a1: 10, a2: 20 };
    const listed = order.split(' ').map((id) => {
      const bytes = uses[id as keyof typeof uses];
      return { ...USE, id, values: [bytes, 1, bytes, 1] };
    });
    for (const index of [0, 1]) {
      await readDay(store, listed, DAY_TIME, index);
      expect(await storedCharged(store, 'user')).toBe(30);
    }
  },
);

it('a day of before the baseline counts once it was read whole after it, up and down', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  await readDay(store, usesWith(5), DAY_TIME, 0);
  const nets: number[] = [];
  // A row is missing in two readings, and comes back.
  for (const [index, bytes] of [[1_000], [], [], [1_000], [1_300]].entries()) {
    await readDay(store, usesWith(...bytes), DAY_TIME - DAY, index + 1);
    nets.push(await chargedNet(store));
  }
  expect(nets).toEqual([0, 0, -1_000, 0, 300]);
});

it('a day whose rows were deleted is not read again', async () => {
  const path = join(makeFolder(), 'store.db');
  {
    using store = openStore(path);
    await readDay(store, usesWith(5, 6), DAY_TIME, 0);
    await readDay(store, usesWith(70, 80), DAY_TIME + DAY, 1);
  }
  const sql = new SQLite(path);
  sql.prepare('DELETE FROM log_summary WHERE day = ? LIMIT 1').run(DAY_TIME + DAY);
  sql.close();
  using store = openStore(path);
  expect(await readDay(store, usesWith(70, 80), DAY_TIME + DAY, 2)).toBe(false);
  expect((await store.logSummaries.days('main')).map(({ isDeleted }) => isDeleted)).toEqual([false, true]);
  expect(await chargedNet(store)).toBe(150);
  expect(await storedCharged(store, 'user')).toBe(11);
});
