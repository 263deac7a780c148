// Tests that the pages of GET /api/v1/failures contain each failure once, also if failures are stored between two pages.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FailureFilter, RecentFailure } from '../../src/store/test-history-store.ts';
import { NOW, startServer, testView } from './support.ts';

const SECOND = 1_000;

const failure = (number: number, at: number, part: Partial<RecentFailure> = {}): RecentFailure => ({
  ...{ number, at, proxy: `fr-${number % 3}`, url: 'shop', tester: 'london' },
  ...{ errorSource: 'target', errorCode: String(number), ...part },
});

/** Failures by account, oldest first. */
type Stored = Record<string, RecentFailure[]>;

/** Returns a server whose store has these failures, as the store would read them. */
const serverOf = (stored: Stored, filters: FailureFilter[] = []) =>
  startServer({
    tests: testView({
      countFailures: async (account) => stored[account]?.length ?? 0,
      failures: async (account, limit, filter) => {
        filters.push(filter);
        const before = filter.before ?? Number.MAX_SAFE_INTEGER;
        return (stored[account] ?? [])
          .filter(({ number }) => number < before)
          .toReversed()
          .slice(0, limit);
      },
    }),
  });

type Server = Awaited<ReturnType<typeof serverOf>>;

const pageOf = async ({ url }: Server, query: Record<string, string>) => {
  const response = await fetch(`${url}/api/v1/failures?${new URLSearchParams(query)}`);
  const body = await response.json();
  return {
    status: response.status,
    ...(body as { data: Record<string, string>[]; next_cursor: string | null; total: number }),
  };
};

/** Stores failures of one account with rising numbers, at times that may also go back. */
const failuresOf = (steps: readonly number[], first = 1): RecentFailure[] =>
  steps.map((seconds, index) => failure(first + index, NOW + seconds * SECOND));

it('every failure is on one page, and failures that are stored meanwhile are on none', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(steps, steps, fc.integer({ min: 1, max: 4 }), async (main, shop, limit) => {
      const stored: Stored = { main: failuresOf(main), shop: failuresOf(shop) };
      const expected = Object.entries(stored).flatMap(([account, all]) =>
        all.map(({ errorCode }) => `${account} ${errorCode}`),
      );
      await using server = await serverOf(stored);
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await pageOf(server, { limit: String(limit), ...(cursor && { cursor }) });
        expect(page.data.length).toBe(Math.min(limit, expected.length - found.length));
        found.push(...page.data.map(({ account, error_code }) => `${account} ${error_code}`));
        for (const all of Object.values(stored)) all.push(failure(100 + all.length, NOW));
        cursor = page.next_cursor;
      }
      expect(found.toSorted()).toEqual(expected.toSorted());
      for (const account of ['main', 'shop'])
        expect(found.filter((each) => each.startsWith(account))).toEqual(
          expected.filter((each) => each.startsWith(account)).toReversed(),
        );
    }),
    { numRuns: 25 },
  );
});

it('the newest failures of all accounts are first', async () => {
  await using server = await serverOf({ main: failuresOf([0, 3]), shop: failuresOf([1, 2, 4]) });
  const { data, total } = await pageOf(server, {});
  expect(total).toBe(5);
  expect(data.map(({ at }) => (Date.parse(at ?? '') - NOW) / SECOND)).toEqual([4, 3, 2, 1, 0]);
});

it('the filters go to the store', async () => {
  const filters: FailureFilter[] = [];
  await using server = await serverOf({}, filters);
  const period = { from: '2026-03-01T10:00:00Z', to: '2026-03-01T11:00:00Z' };
  const subjects = { proxy_id: 'fr-1', url: 'shop', tester_server: 'london' };
  await pageOf(server, { account: 'main', ...subjects, error_source: 'target', q: 'lon', ...period });
  expect(filters).toEqual([
    {
      ...{ proxy: 'fr-1', url: 'shop', tester: 'london', errorSource: 'target', text: 'lon' },
      ...{ from: Date.parse(period.from), to: Date.parse(period.to), before: Number.MAX_SAFE_INTEGER },
    },
  ]);
});

it('a cursor of another list is an error', async () => {
  await using server = await serverOf({});
  const cursor = Buffer.from('main\nfr-1').toString('base64url');
  expect(await pageOf(server, { cursor })).toMatchObject({
    ...{ status: 400, error: 'cursor: expected one of the same list' },
  });
});

it('an empty period is an error, as in the other lists of events', async () => {
  await using server = await serverOf({});
  const [early, late] = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'];
  for (const path of ['failures', 'inventory/changes', 'alerts/history']) {
    const statusOf = async (from: string, to: string) => {
      const response = await fetch(`${server.url}/api/v1/${path}?from=${from}&to=${to}`);
      return [path, response.status, ((await response.json()) as { error?: string }).error];
    };
    expect(await statusOf(late, early)).toEqual([path, 400, 'from: expected a time before to']);
    expect(await statusOf(early, early)).toEqual([path, 400, 'from: expected a time before to']);
    expect(await statusOf(early, late)).toEqual([path, 200, undefined]);
  }
});
