// Tests more than two simulated years of a daemon over HTTP: the store does not grow any more, and counters are exact.

import { expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../src/lib/time.ts';
import { proxyAddress, userId, userPassword } from '../../src/simulator/identities.ts';
import {
  expectedLedgerGrowth,
  expectedTrafficGrowth,
  netLedgerCounters,
  netTrafficCounters,
} from '../support/expected-counters.ts';
import { Harness } from '../support/harness.ts';

const USERS = 1_000;
const PROXIES = 200;
const START = '2026-03-01T00:10:00Z';
/**
 * Everything runs only once in five days: compared with the defaults, traffic 7,200 times less often, users 1,440
 * times, ledger and tests 720 times, and maintenance 120 times. Every minute of traffic is still read.
 */
const STEP = 5 * DAY;
const SCHEDULE = '0 0 * * *';
const STEPS_PER_YEAR = 73;
/** Traffic and the use of users by day are kept for 400 days, so the store grows until then. */
const STEPS_UNTIL_FULL = 82;
/** A start should take 3 s, but the test also runs on slow machines. */
const LONGEST_START_MS = 15 * SECOND;

const build = (): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: {
      users: USERS,
      proxies: PROXIES,
      traffic: { late: { longest_minutes: 60 }, revised: { longest_minutes: 100 } },
    },
    account: {
      traffic: { schedule: SCHEDULE, deep_reread: { schedule: '0 0 1 * *' }, graphs: [] },
      residential_ledger: { schedule: SCHEDULE },
      proxy_users: { schedule: SCHEDULE },
      proxy_tests: {
        schedule: SCHEDULE,
        urls: ['https://example.com/'],
        series: 'proxy',
        proxies: Array.from({ length: PROXIES }, (_, index) => ({
          name: `proxy-${index}`,
          proxy: `${proxyAddress(index).host}:${proxyAddress(index).httpPort}:${userId(0)}:${userPassword(1, 0)}`,
        })),
      },
    },
  });

/** The WAL is emptied when it has 4 MB, and holds up to the changes of one transaction more. */
const MAX_WAL_BYTES = 6e6;

/** Advances by some steps and returns the size of the store's file afterwards (bytes). */
const advance = async (harness: Harness, steps: number): Promise<number> => {
  for (let step = 0; step < steps; step += 1) await harness.advance(STEP);
  const { bytes, walBytes } = harness.app.store.size();
  expect(walBytes).toBeLessThan(MAX_WAL_BYTES);
  return bytes;
};

it('adds nothing to a store that has all the days it keeps, and counts to the byte', async () => {
  await using harness = await build();
  const since = harness.clock.now();
  const first = await advance(harness, STEPS_UNTIL_FULL);
  const second = await advance(harness, STEPS_PER_YEAR);
  console.log({ full: megabytes(first), yearLater: megabytes(second) });
  expect(first).toBeLessThan(15e6);
  expect(second).toBeLessThan(1.1 * first);

  const { clock, simulator, app } = harness;
  const until = clock.now() + MINUTE;
  const samples = await harness.samples();
  expect(netTrafficCounters(samples, '')).toEqual(expectedTrafficGrowth(simulator, {}, since, until));
  expect(netLedgerCounters(samples)).toEqual(expectedLedgerGrowth(simulator, since));

  const [graph] = await app.store.traffic.graphs('main');
  const history = { buckets: 0, from: Number.POSITIVE_INFINITY, bytes: 0, requests: 0 };
  for await (const { at, bytes, requests } of app.store.traffic.history(graph?.id ?? 0, 0, until)) {
    history.buckets += 1;
    history.from = Math.min(history.from, at);
    history.bytes += bytes ?? 0;
    history.requests += requests ?? 0;
  }
  const { bytes, requests } = simulator.truth.traffic({}, history.from, until);
  expect(history).toMatchObject({ bytes, requests });
  expect(clock.now() - history.from).toBeGreaterThan(400 * DAY - STEP);
  expect(clock.now() - history.from).toBeLessThan(400 * DAY + 2 * STEP);

  await harness.stop();
  const startedAt = performance.now();
  await harness.start();
  const startMs = performance.now() - startedAt;
  console.log({ historyBuckets: history.buckets, startMs: Math.round(startMs) });
  expect(startMs).toBeLessThan(LONGEST_START_MS);
});

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(3)} MB`;
