// Tests what is said of a user who began to use more bytes.

import { expect, it } from 'vitest';
import { type Rise, riseOf } from '../../../src/collectors/proxy-users/rise.ts';
import { newRates, observe, type Rates } from '../../../src/lib/forecast.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const NOW = Date.parse('2026-07-20T12:00:00Z');
const TODAY = Date.parse('2026-07-20T00:00:00Z');

/** 14 days of even use, of which the last day has `factor` times as much. */
const ratesOf = (factor: number): Rates => {
  let rates = newRates(NOW - 14 * DAY);
  for (let at = NOW - 14 * DAY; at < NOW; at += HOUR)
    rates = observe(rates, at < NOW - DAY ? 1_000 : 1_000 * factor, at, at + HOUR);
  return rates;
};

interface World {
  readonly factor: number;
  /** The bytes since yesterday by host name, and the host names before. */
  readonly hostnames?: Readonly<Record<string, number>>;
  readonly before?: readonly string[];
  /** Failed requests of the last day, and of the day before. */
  readonly failed?: readonly [number, number];
  readonly countedMs?: number;
  readonly sampled?: number;
  /** Failed requests, on both days, of users that are not named. */
  readonly unnamed?: number;
  /** The known days before yesterday. */
  readonly days?: number;
  /** The first request of unknown clients (ms). */
  readonly firstAt?: number | null;
  readonly isMobile?: boolean;
}

const totalOf = (hostnames: Readonly<Record<string, number>>): number =>
  Object.values(hostnames).reduce((sum, each) => sum + each, 0);

const rise = ({
  factor,
  hostnames = {},
  before = [],
  failed = [0, 0],
  countedMs = DAY,
  sampled = 200,
  unnamed = 0,
  days = 7,
  firstAt = null,
  isMobile = false,
}: World): Promise<Rise | undefined> => {
  const quota = { rates: ratesOf(factor) };
  const store = {
    users: { listing: async () => ({ countedAt: NOW }) },
    logSummaries: {
      sums: async (_: string, { to }: { to: number }) => {
        const listed = to === TODAY ? Object.entries(hostnames) : before.map((name) => [name, 1] as const);
        const total = { values: [totalOf(hostnames)] };
        return { sums: listed.map(([key, bytes]) => ({ key, values: [bytes] })), total };
      },
      days: async () =>
        Array.from({ length: days }, (_, index) => {
          const day = TODAY - (2 + index) * DAY;
          return { day, readAt: day, isDeleted: false };
        }),
    },
    requestLog: {
      sums: async (_: string, { to }: { to: number }) => ({
        sums: [
          { name: 'alice', errors: failed[to >= NOW ? 0 : 1] },
          { name: null, errors: unnamed },
        ],
        ...{ countedMs, errors: 200, sampledErrors: sampled },
      }),
      clientsOf: async () => ({ unknown: 2, firstAt }),
    },
  };
  const account = { name: 'main', time_zone: 'UTC', request_log: { client_addresses: {} } };
  const context = { account, store, clock: new FakeClock(NOW) };
  const even = { rates: ratesOf(1) };
  const user = { id: 'alice', quotas: { residential: quota, mobile: even } };
  return riseOf(context as never, user as never, isMobile ? 'mobile' : 'residential');
};

it('a product type with even use has no rise', async () => {
  expect(await rise({ factor: 1, firstAt: NOW, failed: [900, 1] })).toBeUndefined();
  expect(await rise({ factor: 5, isMobile: true })).toBeUndefined();
});

it('a rise without a known cause says so', async () => {
  const found = await rise({ factor: 5, hostnames: { 'a.example': 90 }, before: ['a.example'] });
  expect(found?.causes).toEqual([]);
  expect(found?.ratio).toBeGreaterThan(1.5);
});

it('large new host names, many more failed requests and new unknown addresses are causes', async () => {
  const hostnames = { 'new.example': 40, 'old.example': 50, 'small.example': 9, '': 20 };
  const known = { factor: 5, hostnames, before: ['old.example'] };
  const world = { ...known, failed: [120, 60], firstAt: NOW - DAY } as const;
  expect((await rise(world))?.causes).toEqual([
    'new host names: new.example (34 % of the bytes since yesterday)',
    'failed requests: about 120 in 24 hours, at most 60 in the 24 hours before',
    'new unknown client addresses: 2',
  ]);
  expect((await rise({ ...world, failed: [119, 60], firstAt: NOW - 3 * DAY }))?.causes).toHaveLength(1);
  expect((await rise({ ...known, failed: [99, 0] }))?.causes).toHaveLength(1);
});

it('what is not known of the time before is no cause', async () => {
  const world = { factor: 5, hostnames: { 'new.example': 40 }, failed: [120, 0], days: 6 } as const;
  expect((await rise({ ...world, countedMs: HOUR }))?.causes).toEqual([]);
  expect((await rise({ ...world, sampled: 150 }))?.causes).toEqual([]);
  expect((await rise({ ...world, unnamed: 61 }))?.causes).toEqual([]);
  const summarised = { ...world, before: ['*.example'], failed: [0, 0], days: 7 } as const;
  expect((await rise(summarised))?.causes).toEqual([]);
});
