// Tests kill -9 at fifty moments: counters minus withheld values still equal the truth to the byte.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { draw } from '../../src/simulator/random.ts';
import type { ScenarioInput } from '../../src/simulator/scenario.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import type { TrafficFilter } from '../../src/simulator/traffic/slices.ts';
import { getText, Program, waitUntil } from '../cli/program.ts';
import { configText } from '../cli/run-command.ts';
import { createFolder } from '../config/support.ts';
import { decreasedCounters } from '../support/counters.ts';
import {
  expectedLedgerGrowth,
  expectedTrafficGrowth,
  netLedgerCounters,
  netTrafficCounters,
} from '../support/expected-counters.ts';
import { parseSamples } from '../support/harness.ts';
import { Samples } from '../support/samples.ts';

/** Two daemons run in parallel, because they mostly wait; each is killed KILLS times. */
const SEEDS = [20_260_710, 20_260_711];
const KILLS = 25;
/** The simulated account's clock runs ahead between two runs, so that data comes late and is revised. */
const MAX_STEP_MS = 2 * MINUTE;
/** A daemon is killed after at most this many answers: one poll of everything, and a part of the next one. */
const MAX_ANSWERS = 8;

const SCENARIO: ScenarioInput = {
  users: 5,
  proxies: 2,
  pace: null,
  traffic: {
    late: { ratio: 0.2, longest_minutes: 120 },
    revised: { ratio: 0.2, longest_minutes: 240 },
  },
};

const EVERY_SECOND = { schedule: '* * * * * *' };

const GRAPHS: Readonly<Record<string, { options: Record<string, string>; filter: TrafficFilter }>> = {
  residential: { options: { product_type: 'residential' }, filter: { network: 'residential' } },
  shop: { options: { hostname: 'shop.example' }, filter: { hostname: 'shop.example' } },
  alice: { options: { proxy_user_id: 'user-000003' }, filter: { proxyUserId: 'user-000003' } },
};

const ACCOUNT = {
  traffic: {
    ...EVERY_SECOND,
    // Longer than the scenario takes to revise a minute.
    reread: '5h',
    catch_up: '6h',
    graphs: Object.entries(GRAPHS).map(([name, { options }]) => ({ name, ...options })),
  },
  residential_ledger: EVERY_SECOND,
  proxy_users: EVERY_SECOND,
};

test('fifty kills', { timeout: 400_000 }, async () => {
  await Promise.all(SEEDS.map(killRepeatedly));
});

const killRepeatedly = async (seed: number): Promise<void> => {
  const startedAt = Date.now();
  let now = startedAt;
  await using simulator = await startSimulator({ scenario: { seed, ...SCENARIO }, now: () => now });
  const others = { store: { path: 'store.db' }, metrics: { first_step_hold: '1s' } };
  const folder = createFolder({
    'config.yaml': configText(simulator, { ...ACCOUNT, reconciliation: false }, others),
  });
  const start = () => Program.start(['run', '--config', join(folder, 'config.yaml')]);
  const observer = new CounterObserver();
  {
    await using first = start();
    // The account's clock does not move until its history is stored, so that growth begins at a known instant.
    await allPolledSince(await first.url(), startedAt);
    first.kill('SIGTERM');
    await first.ended;
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    const random = (n: number): number => draw(seed + kill, n);
    now += random(1) * MAX_STEP_MS;
    await using program = start();
    await runUntilKill(program, simulator, observer, random);
    program.kill('SIGKILL');
    await program.ended;
  }
  await using last = start();
  expectTruth(await lastScrape(await last.url()), simulator, startedAt);
  // The daemons ran long enough to store something.
  expect(observer.changes).toBeGreaterThan(KILLS / 5);
};

/** Waits until some answer of the provider is being stored, or for a random part of the program's start. */
const runUntilKill = async (
  program: Program,
  { requests }: Simulator,
  observer: CounterObserver,
  random: (n: number) => number,
): Promise<void> => {
  const answers = Math.floor(random(2) * (MAX_ANSWERS + 1));
  if (answers === 0) return delay((random(3) * SECOND) / 2);
  const lastAnswer = requests.count() + answers;
  const url = await program.url();
  await observer.check(url);
  await waitUntil(() => requests.count() >= lastAnswer);
  await observer.check(url);
  await delay((random(3) * SECOND) / 50);
};

const expectTruth = ({ samples, end }: LastScrape, simulator: Simulator, startedAt: number): void => {
  for (const name of ['', ...Object.keys(GRAPHS)]) {
    const truth = expectedTrafficGrowth(simulator, GRAPHS[name]?.filter ?? {}, startedAt, end);
    expect([name, netTrafficCounters(samples, name)]).toEqual([name, truth]);
  }
  expect(netLedgerCounters(samples)).toEqual(expectedLedgerGrowth(simulator, startedAt));
};

/** Scrapes each daemon and expects that no counter falls from one to the next. */
class CounterObserver {
  #seen = new Map<string, number>();
  #traffic = Number.NaN;
  /** Number of scrapes in which the account's traffic had changed, up or down. */
  changes = 0;

  async check(url: string): Promise<void> {
    const text = await getText(`${url}/metrics`);
    const samples = parseSamples(text);
    expect(decreasedCounters(this.#seen, samples)).toEqual([]);
    this.#seen = samples;
    const { bytes } = netTrafficCounters(new Samples(text), '');
    this.changes += Number(bytes !== this.#traffic);
    this.#traffic = bytes;
  }
}

/** Waits until every collector has had a successful run that began at or after the instant (ms). */
const allPolledSince = async (url: string, instant: number): Promise<void> => {
  await waitUntil(async () => {
    const samples = new Samples(await getText(`${url}/metrics`));
    const attempts = samples.all('proxywatch_collector_last_attempt_timestamp_seconds');
    const successes = samples.all('proxywatch_collector_success', {}).filter(({ value }) => value === 1);
    const isSince = attempts.every(({ value }) => Math.round(value * SECOND) >= instant);
    return isSince && successes.length === Object.keys(ACCOUNT).length;
  });
};

interface LastScrape {
  readonly samples: Samples;
  /** End of the last requested minute (ms). */
  readonly end: number;
}

/** Scrapes after polls that began in the same minute, so that they requested everything up to the end of that minute. */
const lastScrape = async (url: string): Promise<LastScrape> => {
  for (;;) {
    const minute = Math.floor(Date.now() / MINUTE);
    await allPolledSince(url, Date.now());
    const samples = new Samples(await getText(`${url}/metrics`));
    if (minute === Math.floor(Date.now() / MINUTE)) return { samples, end: (minute + 1) * MINUTE };
  }
};
