// Tests the filters and pages of failures and of changes of the inventory against all stored rows.

import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { INVENTORY_CHANGES, type InventoryChange } from '../../src/store/inventory-store.ts';
import type { RecentFailure } from '../../src/store/test-history-store.ts';
import { START, TestStore } from './support.ts';
import { failure } from './test-results.ts';

const SUBJECTS = ['a', 'b', 'c'] as const;
const subject = fc.constantFrom(...SUBJECTS);
const moment = fc.integer({ min: 0, max: 20 }).map((ms) => START + ms);
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const period = { from: optional(moment), to: optional(moment) };

const isWithin = (at: number, { from, to }: { from?: number | undefined; to?: number | undefined }) =>
  at >= (from ?? 0) && at < (to ?? Number.MAX_SAFE_INTEGER);

/** Parts of the ids and of other values. */
const text = optional(fc.constantFrom('', 'A', 'b', '2', 'nothing'));
const contains = (part: string | undefined, ...fields: readonly (string | null)[]): boolean =>
  fields.some((field) => field?.toLowerCase().includes((part ?? '').toLowerCase()));

/** Reads all pages, each after the last item of the page before. */
const allPages = async <T>(read: (before: T | undefined) => Promise<T[]>): Promise<T[]> => {
  const all: T[] = [];
  for (let page = await read(undefined); page.length > 0; page = await read(all.at(-1))) all.push(...page);
  return all;
};

it('failures are those that the filter matches, newest first', async () => {
  const failed = fc.record({ proxy: subject, url: subject, tester: subject, errorSource: subject });
  const batches = fc.array(fc.array(failed, { maxLength: 9 }), { maxLength: 4 });
  const filter = fc.record({
    ...{ proxy: optional(fc.constantFrom(...SUBJECTS, 'unknown')), url: optional(subject) },
    ...{ tester: optional(subject), errorSource: optional(subject), text, ...period },
  });
  using test = new TestStore();
  const { tests } = test.store;
  let account = 0;
  await fc.assert(
    fc.asyncProperty(batches, filter, fc.integer({ min: 1, max: 5 }), async (batches, filter, limit) => {
      const name = `account-${account++}`;
      for (const [index, batch] of batches.entries())
        await tests.saveBatch(name, {
          results: batch.map((each) => failure(each)),
          proxies: [],
          now: START + 5 * index,
        });
      const read = (before?: RecentFailure) =>
        tests.recentFailures(name, limit, { ...filter, before: before?.number });
      const expected = batches
        .flatMap((batch, index) => batch.map((each) => ({ ...each, at: START + 5 * index })))
        .filter(
          (each) =>
            isWithin(each.at, filter) &&
            contains(filter.text, ...Object.values(each).map(String).slice(0, 4)) &&
            (['proxy', 'url', 'tester', 'errorSource'] as const).every(
              (name) => filter[name] === undefined || filter[name] === each[name],
            ),
        );
      expect(await allPages(read)).toMatchObject(expected.toReversed());
      expect(await tests.countFailures(name, filter)).toBe(expected.length);
    }),
    { numRuns: 25 },
  );
});

it('changes of the inventory are those that the filter matches, newest first, also if the clock went back', async () => {
  const stored = fc.array(
    fc.record({
      ...{ proxyId: subject, change: fc.constantFrom(...INVENTORY_CHANGES), at: moment },
      ...{ before: fc.constantFrom('1', null), after: fc.constantFrom('A2', null) },
    }),
    { maxLength: 25 },
  );
  const filter = fc.record({
    ...{
      proxyId: optional(subject),
      change: optional(fc.constantFrom(...INVENTORY_CHANGES)),
      text,
      ...period,
    },
  });
  using test = new TestStore();
  const { inventory } = test.store;
  await inventory.open('main', START);
  const sql = new SQLite(test.path);
  const insert = sql.prepare(
    'INSERT INTO inventory_change (account_id, at, change, proxy_id, before, after) SELECT id, ?, ?, ?, ?, ? FROM account',
  );
  await fc.assert(
    fc.asyncProperty(stored, filter, fc.integer({ min: 1, max: 5 }), async (changes, filter, limit) => {
      sql.exec('DELETE FROM inventory_change');
      for (const { at, change, proxyId, before, after } of changes)
        insert.run(at, change, proxyId, before, after);
      const read = (before?: InventoryChange) =>
        inventory.newestChanges('main', limit, { ...filter, before });
      const expected = changes
        .filter(
          ({ at, change, proxyId, before, after }) =>
            isWithin(at, filter) &&
            contains(filter.text, proxyId, before, after) &&
            (filter.change ?? change) === change &&
            (filter.proxyId ?? proxyId) === proxyId,
        )
        .toReversed()
        .sort((one, other) => other.at - one.at);
      expect(await allPages(read)).toMatchObject(expected);
      if (!filter.text) expect(await inventory.countChanges('main', filter)).toBe(expected.length);
    }),
    { numRuns: 60 },
  );
  sql.close();
});

it('finds a text after many rows without it, and lets other work run meanwhile', async () => {
  using test = new TestStore();
  const { tests } = test.store;
  const batch = (proxy: string, size: number) => Array.from({ length: size }, () => failure({ proxy }));
  const results = [...batch('Wanted', 3), ...batch('other', 2_500)];
  await tests.saveBatch('main', { results, proxies: [], now: START });
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    other = setImmediate(tick);
  };
  let other = setImmediate(tick);
  const found = await tests.recentFailures('main', 2, { text: 'wanted' });
  clearImmediate(other);
  expect(found.map(({ number }) => number)).toEqual([3, 2]);
  expect(await tests.countFailures('main', { text: 'wanted' })).toBe(3);
  expect(turns).toBeGreaterThan(1);
});
