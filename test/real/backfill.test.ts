// Tests that history imported into a real Prometheus with promtool equals the store exactly, at every resolution.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backfill } from '../../src/cli/export.ts';
import { HISTORY_FAMILIES } from '../../src/collectors/index.ts';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import { bucketStart, DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { instantOf } from '../../src/provider/time.ts';
import type { HistoryBucket } from '../../src/store/traffic-store.ts';
import { configText, runCommand } from '../cli/run-command.ts';
import { Harness } from '../support/harness.ts';
import { type Prometheus, startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

/** In this zone clocks go forward in the night of 29 March. */
const ZONE = 'Europe/Berlin';
const START = Date.parse('2026-03-26T00:00:05Z');
const DAYS = 8;
const RETENTION = { raw: '2d', hourly: '4d', daily: '400d' };
const POLL = 2 * HOUR;
/** A timeout for the setup, which takes 20 s on an idle machine. */
const SETUP_TIMEOUT_MS = 5 * MINUTE;
const SCHEDULED = { schedule: '0 */2 * * *' };
const ACCOUNT = {
  time_zone: ZONE,
  traffic: {
    ...SCHEDULED,
    catch_up: '1d',
    reread: '3h',
    deep_reread: { schedule: '35 4 * * *', span: '1d' },
    graphs: [
      { name: 'residential', product_type: 'residential' },
      { name: 'shop', hostname: 'shop.example' },
    ],
  },
  residential_ledger: SCHEDULED,
  proxy_users: SCHEDULED,
};
const FILTERS = {
  '': {},
  residential: { network: 'residential' },
  shop: { hostname: 'shop.example' },
} as const;

const VALUES: Readonly<Record<string, keyof HistoryBucket>> = {
  bytes: 'bytes',
  requests: 'requests',
  successful_requests: 'successful',
  failed_requests: 'failed',
  smartpath_routed_bytes: 'smartpathBytes',
  smartpath_routed_requests: 'smartpathRequests',
  smartpath_money_saved: 'smartpathMoneySaved',
  concurrency_average: 'concurrencyAverage',
  concurrency_max: 'concurrencyMax',
};

/** The account has no proxies, so it has no tests. */
const FAMILIES = HISTORY_FAMILIES.map(({ name }) => name).filter(
  (name) => !/_test_(results|failures)$/.test(name),
);

/** Points by series. The key is the name and the label that identifies the series. */
type Points = Map<string, [seconds: number, value: number][]>;

let harness: Harness;
let prometheus: Prometheus;
let queried: Points;
let stored: Points;

/** Runs a daemon for more than a week of late and revised data, part of which is rolled up. */
const runDaemon = async (): Promise<Harness> => {
  const harness = await Harness.build({
    now: new Date(START).toISOString(),
    scenario: {
      time_zone: ZONE,
      users: 5,
      traffic: { late: { ratio: 0.05, longest_minutes: 60 }, revised: { ratio: 0.1, longest_minutes: 100 } },
    },
    retention: RETENTION,
    account: ACCOUNT,
  });
  for (let poll = 0; poll < (DAYS * DAY) / POLL; poll += 1) await harness.advance(POLL);
  return harness;
};

/** Exports the history in two parts while the daemon runs, and makes blocks of it. */
const makeBlocks = async ({ folder, simulator, clock }: Harness): Promise<string> => {
  const others = { store: { path: 'proxywatch.db', retention: RETENTION } };
  await writeFile(join(folder, 'config.yaml'), configText(simulator, ACCOUNT, others));
  const blocks = join(folder, 'blocks');
  const times = [START - 40 * DAY, START + 3 * DAY, clock.now() + HOUR] as const;
  for (const [from, to] of [times.slice(0, 2), times.slice(1)] as [number, number][]) {
    const output = join(folder, `${from}.om`);
    const config = join(folder, 'config.yaml');
    const result = await runCommand(backfill, { config, from: () => from, to: () => to, output });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    await promisify(execFile)('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', output, blocks]);
  }
  return blocks;
};

/** Returns the traffic and the ledger as read directly from the store. */
const pointsInStore = async ({ app }: Harness): Promise<Points> => {
  const points: Points = new Map();
  const add = (series: string, at: number, value: unknown): void => {
    if (typeof value === 'number') points.set(series, [...(points.get(series) ?? []), [at / SECOND, value]]);
  };
  for (const { id, name } of await app.store.traffic.graphs('main')) {
    for await (const bucket of app.store.traffic.history(id, 0, Number.MAX_SAFE_INTEGER)) {
      for (const [text, value] of Object.entries(VALUES)) {
        const group = name === '' ? (text.startsWith('smartpath') ? '' : 'traffic_') : 'graph_';
        add(`${group}${text} ${name}`, bucket.at, bucket[value]);
      }
    }
  }
  for (const { periodDate, reason, ...day } of await app.store.ledgers.residential.days(
    'main',
    '2026',
    '2027',
  )) {
    const at = instantOf(Date.parse(periodDate), ZONE);
    add(`residential_ledger_added_bytes ${reason}`, at, day.addedBytes);
    add(`residential_ledger_used_bytes ${reason}`, at, day.usedBytes);
    add(`residential_ledger_requests ${reason}`, at, day.requests);
  }
  return points;
};

const seriesOf = ({ __name__ = '', graph, reason, product_type }: Readonly<Record<string, string>>): string =>
  `${__name__.replace('proxywatch_history_', '')} ${graph ?? reason ?? product_type ?? ''}`;

/** Selects the samples of [from, to), whether or not the server's version includes the start of a range. */
const within = (from: number, to: number): string => `[${to - from - 1}ms] @ ${(to - SECOND) / SECOND}`;

const querySums = async (from: number, to: number): Promise<Map<string, number>> => {
  const sums = new Map<string, number>();
  for (const { name } of HISTORY_FAMILIES) {
    for (const { labels, value } of await prometheus.query(`sum_over_time(${name}${within(from, to)})`)) {
      sums.set(seriesOf({ ...labels, __name__: name }), value);
    }
  }
  return sums;
};

describeWith(['prometheus', 'promtool'], 'history in Prometheus', () => {
  beforeAll(async () => {
    harness = await runDaemon();
    prometheus = await startPrometheus({ blocks: await makeBlocks(harness) });
    const series = await prometheus.series(
      `{__name__=~"proxywatch_history_.*"}${within(START - 40 * DAY, harness.clock.now() + HOUR)}`,
    );
    queried = new Map(
      series.map(({ labels, points }) => [seriesOf(labels), points.map(([at, value]) => [at, value])]),
    );
    stored = await pointsInStore(harness);
  }, SETUP_TIMEOUT_MS);
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await harness?.[Symbol.asyncDispose]();
  });

  test('has every family, and every sample equals the store', () => {
    const families = new Set(
      [...queried.keys()].map((series) => `proxywatch_history_${series.split(' ')[0]}`),
    );
    expect([...families].toSorted()).toEqual(FAMILIES.toSorted());
    for (const [series, points] of stored) expect([series, queried.get(series)]).toEqual([series, points]);
    const others = [...queried.keys()].filter((series) => !stored.has(series));
    expect(others.toSorted()).toEqual(
      METERED_TYPES.map((type) => `proxy_users_usage_bytes ${type}`).toSorted(),
    );
    const widths = queried.get('traffic_bytes ')?.map(([at], index, all) => (all[index + 1]?.[0] ?? at) - at);
    expect(new Set(widths)).toEqual(
      new Set([0, MINUTE, HOUR, DAY, DAY - HOUR].map((width) => width / SECOND)),
    );
  });

  test('has the usage of users per day', async () => {
    const { users } = harness.app.store;
    for (let day = START - (START % DAY); day < harness.clock.now(); day += DAY) {
      const [from, to] = [bucketStart(ZONE, day, DAY), bucketStart(ZONE, day + DAY, DAY)];
      const sums = await querySums(from, to);
      for (const type of METERED_TYPES) {
        const periods = (await users.usage('main', from, to)).filter(
          ({ productType }) => productType === type,
        );
        const sum = periods.reduce((all, { bytes }) => all + bytes, 0);
        expect([day, type, sums.get(`proxy_users_usage_bytes ${type}`) ?? 0]).toEqual([day, type, sum]);
      }
    }
    expect(queried.get('proxy_users_usage_bytes residential')?.some(([, bytes]) => bytes > 0)).toBe(true);
  });

  test.each([
    ['all of it', -40 * DAY, 20 * DAY],
    ['days', -30 * HOUR, 2 * DAY],
    ['hours', 5 * DAY, 5 * DAY + 7 * HOUR],
    ['minutes', 7 * DAY + 61 * MINUTE, 7 * DAY + 3 * HOUR],
    ['from days to minutes', DAY, 7 * DAY + 5 * MINUTE],
  ])('has exact sums: %s', async (_, begin, end) => {
    const [from, to] = [START + begin, START + end].map((at) => Math.floor(at / MINUTE) * MINUTE) as [
      number,
      number,
    ];
    const sums = await querySums(from, to);
    for (const [series, points] of stored) {
      const values = points
        .filter(([at]) => at * SECOND >= from && at * SECOND < to)
        .map(([, value]) => value);
      const sum = values.reduce((all, value) => all + value, 0);
      if (values.length === 0) expect([series, sums.get(series)]).toEqual([series, undefined]);
      else if (values.every(Number.isInteger)) expect([series, sums.get(series)]).toEqual([series, sum]);
      else expect(sums.get(series)).toBeCloseTo(sum, 6);
    }
  });

  test('equals the provider', async () => {
    const from = Date.parse('2026-03-26T23:00:00Z');
    // More recent traffic may still change.
    const to = harness.clock.now() - 6 * HOUR - (harness.clock.now() % HOUR);
    const sums = await querySums(from, to);
    for (const [name, filter] of Object.entries(FILTERS)) {
      const truth = harness.simulator.truth.traffic(filter, from, to);
      const group = name === '' ? 'traffic' : 'graph';
      expect([name, sums.get(`${group}_bytes ${name}`)]).toEqual([name, truth.bytes]);
      expect([name, sums.get(`${group}_requests ${name}`)]).toEqual([name, truth.requests]);
    }
  });
});
