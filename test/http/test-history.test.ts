// Tests the ranges of GET …/history of a proxy, a target and a tester, and paths with encoded ids.

import { expect, it } from 'vitest';
import type { HistoryRange } from '../../src/collectors/proxy-tests/uptime-history.ts';
import type { AccountView } from '../../src/http/daemon-view.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { NOW, startServer, testView } from './support.ts';

const URL = `https://shop.example/${'long/'.repeat(60)}`;

/** Returns the answer, and the ranges that were read. Every subject but `unknown` is tested. */
const ask = async (path: string) => {
  const read: (readonly [string, string, HistoryRange])[] = [];
  const settings = { name: 'main', collectors: ['proxy_tests'], thresholds: {} };
  const store = { runs: { states: async () => [] } };
  await using server = await startServer({
    account: () => ({ settings, store, clock: new FakeClock(NOW + 90_000) }) as unknown as AccountView,
    tests: testView({
      history: async (_, kind, id, range) => {
        read.push([kind, id, range]);
        const sums = { results: 4, successes: 2, sumMs: 500, ownFailures: 1, otherFailures: null };
        return id === 'unknown' ? undefined : [{ at: range.from, ...sums }];
      },
    }),
  });
  const response = await fetch(`${server.url}/api/v1/accounts/main/${path}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, read };
};

const rangeOf = async (query: string) => {
  const { status, body } = await ask(`proxies/fr-1/history?${query}`);
  return status === 200 ? [body.from, body.to] : body.error;
};

it.each([
  ['proxies/fr-1', 'proxy', 'fr-1'],
  [`targets/${encodeURIComponent(URL)}`, 'target', URL],
  ['testers/london', 'tester', 'london'],
])('%s is the %s', async (path, kind, id) => {
  const { status, read } = await ask(`${path}/history`);
  expect([status, read[0]?.slice(0, 2)]).toEqual([200, [kind, id]]);
});

it('a subject that is not tested is not known', async () => {
  const { status, body } = await ask('testers/unknown/history');
  expect([status, body]).toEqual([404, { error: 'tester_server: "unknown" is not known' }]);
});

it.each([
  ['', ['2026-02-28T13:00:00.000Z', '2026-03-01T13:00:00.000Z']],
  ['step=day', ['2025-12-02T00:00:00.000Z', '2026-03-02T00:00:00.000Z']],
  [
    'from=2026-03-01T09:30:00Z&to=2026-03-01T10:00:00Z',
    ['2026-03-01T09:00:00.000Z', '2026-03-01T10:00:00.000Z'],
  ],
  ['from=2020-01-01T00:00:00Z', ['2026-01-29T13:00:00.000Z', '2026-03-01T13:00:00.000Z']],
  ['from=2020-01-01T00:00:00Z&step=day', ['2025-12-02T00:00:00.000Z', '2026-03-02T00:00:00.000Z']],
  [
    'from=2019-01-01T00:00:00Z&to=2020-01-01T00:00:00Z',
    ['2026-01-29T13:00:00.000Z', '2026-01-29T13:00:00.000Z'],
  ],
  [
    'from=2030-01-01T00:00:00Z&to=2031-01-01T00:00:00Z',
    ['2026-03-01T13:00:00.000Z', '2026-03-01T13:00:00.000Z'],
  ],
  ['from=2026-03-01T10:00:00Z&to=2026-03-01T10:00:00Z', 'from: expected a time before to'],
  ['step=minute', 'step: expected one of hour, day'],
])('the range of "%s"', async (query, expected) => {
  expect(await rangeOf(query)).toEqual(expected);
});

it('a point has null for what is unknown', async () => {
  const { body } = await ask('proxies/fr-1/history?from=2026-03-01T10:00:00Z');
  expect(body.data).toEqual([
    {
      ...{ at: '2026-03-01T10:00:00.000Z', results: 4, successes: 2, ratio: 0.5 },
      mean_response_time_seconds: 0.25,
      ...{ own_failures: 1, other_failures: null, unattributed_failures: null, own_ratio: null },
    },
  ]);
});
