// Compares every list × filter × sort of the API with a simple search of all items, for random data of three accounts.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/routes.ts';
import { type Json, LISTS, type ListRow, type Query } from './list-table.ts';
import { parseCsv } from './parse-csv.ts';
import { data, type RandomApp, serve } from './random-app.ts';

interface Page {
  readonly data: readonly Json[];
  readonly next_cursor: string | null;
  readonly total: number;
}

const get = async ({ url }: RandomApp, path: string): Promise<Page> => {
  const response = await fetch(url + path);
  const body = (await response.json()) as Page;
  expect([path, response.status, response.status === 200 ? '' : body]).toEqual([path, 200, '']);
  return body;
};

const accountOf = (item: Json): string => String(item.account ?? (item.labels as Json).account ?? '');

const queryOf = (list: ListRow): fc.Arbitrary<Query> => {
  const names = Object.keys(list.filters);
  // Most filters are not given, because lists with all filters have hardly any items.
  const filters = names.map((name) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<string[]>([]) },
      {
        weight: 1,
        arbitrary: fc.uniqueArray(fc.constantFrom(...(list.values[name] ?? [])), {
          maxLength: list.single?.includes(name) ? 1 : 3,
        }),
      },
    ),
  );
  const sorts = ['id', ...Object.keys(list.sorts)].flatMap((name) => [name, `-${name}`]);
  const part = fc.constantFrom(
    'a',
    'A',
    'É',
    '1',
    '2',
    '=',
    ' ',
    '19',
    'low',
    '\u{1F600}',
    'nothing',
    '"',
    'sub',
  );
  return fc
    .tuple(
      fc.tuple(...filters),
      fc.option(fc.constantFrom(...sorts), { nil: undefined, freq: 6 }),
      fc.option(part, { nil: undefined, freq: 2 }),
      fc.subarray(['main', 'shop']),
    )
    .map(([values, sort, q, accounts]) =>
      Object.fromEntries(
        [
          ...names.map((name, index) => [name, values[index] ?? []] as const),
          ['sort', sort === undefined ? [] : [sort]] as const,
          ['q', q === undefined ? [] : [q]] as const,
          ['account', accounts] as const,
        ].filter(([, given]) => given.length > 0),
      ),
    );
};

const textOf = (query: Query): string =>
  Object.entries(query)
    .flatMap(([name, values]) => values.map((value) => `${name}=${encodeURIComponent(value)}`))
    .join('&');

/** Searches, filters and sorts all items in the plainest way. */
const expected = (list: ListRow, all: readonly Json[], query: Query): readonly Json[] => {
  const { sort: [sort = list.defaultSort] = [], q: [q = ''] = [], account = [] } = query;
  const matches = (item: Json): boolean =>
    !list.hidden?.(item, query) &&
    (account.length === 0 || account.includes(accountOf(item))) &&
    Object.entries(list.filters).every(([name, test]) => !query[name] || test(item, query[name], query)) &&
    list.searched(item).some((text) => text != null && String(text).toLowerCase().includes(q.toLowerCase()));
  const found = all.filter(matches);
  const name = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  // `all` is ordered by account and id.
  if (name === 'id') return sign === 1 ? found : found.toReversed();
  const keyOf = (item: Json) => list.sorts[name]?.(item, query) ?? null;
  return found.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : sign * (a < b ? -1 : 1);
  });
};

const compareIds =
  (list: ListRow) =>
  (one: Json, other: Json): number => {
    const [a, b] = [one, other].map((item) => [accountOf(item), list.idOf(item)] as const);
    if (!a || !b) return 0;
    const [first, second] = a[0] === b[0] ? [a[1], b[1]] : [a[0], b[0]];
    return first < second ? -1 : Number(first > second);
  };

const readAll = async (app: RandomApp, path: string, limit: number): Promise<Json[]> => {
  const found: Json[] = [];
  let total: number | undefined;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await get(app, `${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    if (page.next_cursor !== null) expect(page.data).toHaveLength(limit);
    total ??= page.total;
    expect(page.total).toBe(total);
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  expect(found).toHaveLength(total ?? -1);
  return found;
};

describe('a list', () => {
  it('has exactly the matching items in the order of its sort, on pages of any size, and as CSV', async () => {
    await fc.assert(
      fc.asyncProperty(
        data,
        fc.tuple(...LISTS.map((list) => fc.array(queryOf(list), { minLength: 12, maxLength: 12 }))),
        fc.integer({ min: 1, max: 9 }),
        async (accounts, queries, limit) => {
          await using app = await serve(accounts);
          for (const [index, list] of LISTS.entries()) {
            const whole = (await get(app, `${list.path}?sort=id&limit=1000&${list.whole}`)).data;
            expect(whole).toEqual(whole.toSorted(compareIds(list)));
            for (const query of queries[index] ?? []) {
              const path = `${list.path}?${textOf(query)}`;
              const wanted = expected(list, whole, query).map((item) => [accountOf(item), list.idOf(item)]);
              const found = await readAll(app, path, limit);
              expect([path, found.map((item) => [accountOf(item), list.idOf(item)])]).toEqual([path, wanted]);
              await expectCsv(app, path, found);
            }
          }
        },
      ),
      // Shrinking would take minutes, because each attempt serves another store.
      { numRuns: 8, endOnFailure: true },
    );
  }, 240_000);

  it('has all stored items if nothing is filtered', async () => {
    await fc.assert(
      fc.asyncProperty(data, async (accounts) => {
        await using app = await serve(accounts);
        for (const [path, key] of [
          ['users?include_deleted=true&', 'users'],
          ['inventory?', 'inventory'],
          ['services?', 'services'],
          ['proxies?', 'proxies'],
        ] as const) {
          const { data: items, total } = await get(app, `${path}sort=id&limit=1000`);
          const stored = accounts.flatMap((account) => account[key].map(([id]) => id));
          const list = LISTS.find((each) => path.startsWith(each.path));
          expect([path, items.map((item) => list?.idOf(item)).toSorted()]).toEqual([path, stored.toSorted()]);
          expect(total).toBe(stored.length);
        }
      }),
      { numRuns: 3 },
    );
  }, 60_000);
});

it('the table has every list with a search, and all its sorts and filters', () => {
  const common = ['account', 'limit', 'cursor', 'format', 'q', 'sort'];
  const described = API_ROUTES.filter(({ query }) => query.sort && query.q).map(({ path, query }) => ({
    path: path.replace('/api/v1/', ''),
    filters: Object.keys(query)
      .filter((name) => !common.includes(name))
      .toSorted(),
    sorts: (query.sort?.safeParse('?').error?.issues[0]?.message ?? '').replace('expected one of ', ''),
  }));
  const inTable = LISTS.map(({ path, filters, sorts }) => ({
    path,
    filters: Object.keys(filters).toSorted(),
    sorts: Object.keys(sorts),
  }));
  const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
  expect(inTable.toSorted(byPath)).toEqual(
    described
      .map((each) => ({
        ...each,
        sorts: each.sorts.split(', ').filter((name) => !name.startsWith('-') && name !== 'id'),
      }))
      .map((each) => ({
        ...each,
        sorts: expect.toSatisfy((own: string[]) => own.toSorted().join() === each.sorts.toSorted().join()),
      }))
      .toSorted(byPath),
  );
});

const expectCsv = async ({ url }: RandomApp, path: string, items: readonly Json[]): Promise<void> => {
  const response = await fetch(`${url}${path}&format=csv`);
  expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
  const [header = [], ...rows] = parseCsv(await response.text());
  expect(rows).toHaveLength(items.length);
  for (const [index, item] of items.entries())
    expect(rows[index]).toEqual(header.map((name) => cellOf(valueAt(item, name.split('.')))));
};

const valueAt = (item: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Json | null)?.[name] ?? null, item);

/** What the reader of the CSV gets for a value. */
const cellOf = (value: unknown): string => {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
