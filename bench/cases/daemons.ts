// Whole daemons, scraped every 15 seconds as Prometheus does: a small account for an hour, what each further account costs,
// and how the cost grows with the size of one. Their clocks may run faster than that of the machine.

import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Case, type Reading, turnsOf } from '../harness.ts';
import { type Past, writeHistory } from '../history.ts';
import { answers, freePort, isInstalled, Measured, type Memory } from '../processes.ts';
import type { Version } from '../versions.ts';
import { longestBlock, scrape, startDaemon, startProvider } from '../world.ts';

const SCRAPE_EVERY_S = 15;

interface Size {
  readonly scenario?: object;
  readonly account?: object;
  readonly accounts?: number;
  /** What the store already has. */
  readonly past?: Past;
  readonly speed: number;
  /** How long it runs before it counts, and how long it counts then, in minutes of its own clock. */
  readonly settleMinutes: number;
  readonly minutes: number;
  readonly watchesBlocks?: boolean;
}

interface Observed extends Memory {
  /** The share of one core (%), if the clock ran as fast as that of the machine. */
  readonly share: number;
  /** MB */
  readonly store: number;
  /** The longest block of the event loop (CPU ms). */
  readonly block: number;
}

/** The provider belongs to this tree whatever the version, and all accounts are the same one at it. */
const observe = async (version: Version, size: Size): Promise<Observed> => {
  const { scenario = {}, account = {}, accounts = 1, past, watchesBlocks = false } = size;
  const { speed, settleMinutes, minutes } = size;
  await using stack = new AsyncDisposableStack();
  const clock = { speed };
  const url = await startProvider(stack, { pace: null, ...scenario }, clock);
  const options = { urls: Array<string>(accounts).fill(url), account, clock, watchesBlocks };
  const folder = past && { folder: await writeHistory(stack, version, options, past) };
  const daemon = await startDaemon(stack, version, { ...options, ...folder });
  const { process, origin, store } = daemon;
  await answers(`${origin}/-/healthy`);
  const scrapeFor = async (span: number): Promise<void> => {
    const startedAt = performance.now();
    for (let n = 1; n * SCRAPE_EVERY_S <= span * 60; n += 1) {
      const due = startedAt + (1_000 * n * SCRAPE_EVERY_S) / speed;
      await setTimeout(Math.max(0, due - performance.now()));
      await scrape(`${origin}/metrics`);
    }
  };
  await scrapeFor(settleMinutes);
  if (watchesBlocks) await longestBlock(daemon);
  const [cpuMs, startedAt] = [process.cpuMs, performance.now()];
  await scrapeFor(minutes);
  const share = (100 * (process.cpuMs - cpuMs)) / (speed * (performance.now() - startedAt));
  const block = watchesBlocks ? await longestBlock(daemon) : Number.NaN;
  return { ...process.memory, share, block, store: statSync(store).size / 1e6 };
};

const BLACKBOX = 'prometheus-blackbox-exporter';
const [PEAK, RSS, DIRTY, SHARE] = [
  'peak RSS, small account',
  'RSS after an hour, small account',
  'private dirty memory after an hour',
  'CPU of a quiet day, one account',
];

/** The last half of the hour counts as a quiet day. `--speed 1` takes the hour itself, without another clock. */
export const small: Case = {
  title: 'a small account for an hour, at 20 times the speed (4 minutes with --small)',
  figures: {
    [PEAK]: { unit: 'MB', against: 0.75, most: 103 },
    [RSS]: { unit: 'MB', against: 0.75 },
    [DIRTY]: { unit: 'MB', against: 0.6 },
    [SHARE]: { unit: '% of a core', most: 0.25 },
  },
  contenders: ({ versions, isSmall, speed = 20 }) => {
    const minutes = isSmall ? 2 : 30;
    const size = { scenario: { pace: 10 }, speed, settleMinutes: minutes, minutes };
    const turns = turnsOf(versions, async (version) => {
      const { peak, rss, dirty, share } = await observe(version, size);
      return { [PEAK]: peak, [RSS]: rss, [DIRTY]: dirty, [SHARE]: share };
    });
    return isInstalled(BLACKBOX) ? { ...turns, [BLACKBOX]: blackbox } : turns;
  },
};

/** The process with the smallest job of its kind. */
const blackbox = async (): Promise<Reading> => {
  const address = `127.0.0.1:${await freePort()}`;
  const args = ['--config.file=/etc/prometheus/blackbox.yml', `--web.listen-address=${address}`];
  await using process = new Measured(BLACKBOX, [...args, '--log.level=error']);
  for (let n = 0; n < 5; n += 1) await answers(`http://${address}/metrics`);
  const { peak, rss, dirty } = process.memory;
  return { [PEAK]: peak, [RSS]: rss, [DIRTY]: dirty };
};

const COUNTS = [1, 10, 50, 100];
const FEW = [1, 3, 6];
/** The first catch-up is short, because it takes one to two seconds of a core for each account. */
const TESTED = {
  ...{ traffic: { catch_up: '2h' }, inventory: {} },
  proxy_tests: {
    urls: ['https://www.example.com/', 'https://shop.example/'],
    ...{ max_runs_per_day: 10_000_000, max_series: 1_000_000 },
    proxies: [{ search: { proxy_status: 'in_use' } }],
  },
};
/** The provider's documentation names no times of answers, so these are assumptions. */
const SLOW = {
  ...{ response_delay_ms: 200, test_run_delay_ms: 5_000, test_runs_per_day: 10_000_000 },
  ...{ users: 2_000, proxies: 100 },
};

const moreOf = (what: string, count: number): string => `${what} of one more account, of ${count}`;

export const accounts: Case = {
  title: 'accounts of 2,000 users and 100 proxies: what each of 10, 50 and 100 adds to one',
  figures: Object.fromEntries(
    [...COUNTS, ...FEW].flatMap((count) => [
      [moreOf('CPU', count), { unit: '% of a core', against: 0.6 }],
      [moreOf('RSS', count), { unit: 'MB', against: 0.6 }],
    ]),
  ),
  contenders: ({ versions, isSmall, speed }) =>
    turnsOf(versions, async (version) => {
      const reading: Record<string, number> = {};
      let first: Observed | undefined;
      for (const count of isSmall ? FEW : COUNTS) {
        // More accounts would take more than a core at a higher speed.
        const own = speed ?? Math.max(1, Math.min(8, 200 / count));
        const span = isSmall ? { settleMinutes: 1.25, minutes: 1 } : { settleMinutes: 1.25, minutes: 5 };
        const size: Size = { scenario: SLOW, account: TESTED, accounts: count, speed: own, ...span };
        const observed = await observe(version, size);
        first ??= observed;
        if (count === 1) continue;
        reading[moreOf('CPU', count)] = (observed.share - first.share) / (count - 1);
        reading[moreOf('RSS', count)] = (observed.rss - first.rss) / (count - 1);
      }
      return reading;
    }),
};

const FAST = { requests_per_second: 1_000 };
export const MANY_TESTS = { ...TESTED, ...FAST };
const SLICES = Array.from({ length: 50 }, (_, n) => ({ name: `slice-${n}`, proxy_user_id: `user-${n}` }));

/** They are read at the start alone, so that the maintenance costs most. It comes after ten minutes. */
const RARE_SLICES = { ...FAST, traffic: { graphs: SLICES, schedule: '0 0 1 1 *' } };

const SIZES: Readonly<Record<string, Partial<Size>>> = {
  '10,000 users': { scenario: { users: 10_000 }, account: FAST },
  '100,000 users': { scenario: { users: 100_000 }, account: FAST },
  '1,000 tested proxies': { scenario: { proxies: 1_000, test_runs_per_day: 1e7 }, account: MANY_TESTS },
  '10,000 tested proxies': { scenario: { proxies: 10_000, test_runs_per_day: 1e7 }, account: MANY_TESTS },
  '50 slices': { account: { ...FAST, traffic: { graphs: SLICES } } },
  '400 days of history': { past: { days: 400 } },
  'maintenance of 50 slices': { account: RARE_SLICES, past: { days: 18, minutesOf: 51 } },
};
const SMALL_SIZES = ['10,000 users', '1,000 tested proxies', '400 days of history'];
const GROWTH = [
  ['share', 'CPU', { unit: '% of a core' }],
  ['peak', 'peak RSS', { unit: 'MB' }],
  ['store', 'store', { unit: 'MB' }],
  ['block', 'longest block, CPU', { unit: 'ms', most: 50 }],
] as const;

export const growth: Case = {
  title: 'users, proxies, slices and days of history of one account',
  figures: Object.fromEntries(
    Object.keys(SIZES).flatMap((name) => GROWTH.map(([, what, figure]) => [`${what}, ${name}`, figure])),
  ),
  rounds: 1,
  contenders: ({ versions, isSmall, speed = isSmall ? 30 : 10 }) =>
    turnsOf(versions, async (version) => {
      const reading: Record<string, number> = {};
      for (const [name, part] of Object.entries(SIZES)) {
        if (isSmall && !SMALL_SIZES.includes(name)) continue;
        const span = isSmall ? { settleMinutes: 5, minutes: 6 } : { settleMinutes: 9, minutes: 11 };
        const observed = await observe(version, { ...part, ...span, speed, watchesBlocks: true });
        for (const [key, what] of GROWTH) reading[`${what}, ${name}`] = observed[key];
      }
      return reading;
    }),
};
