// kill -9 at fifty moments: what the counters show, less what is withheld, stays the truth to the byte.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { draw } from '../../src/simulator/random.ts';
import type { ScenarioInput } from '../../src/simulator/scenario.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import type { TrafficFilter } from '../../src/simulator/traffic/slices.ts';
import { configOf } from '../cli/in-process.ts';
import { getText, Program, until } from '../cli/program.ts';
import { folderOf } from '../config/support.ts';
import { fallenCounters } from '../support/counters.ts';
import { parseSamples } from '../support/harness.ts';
import { Samples } from '../support/samples.ts';
import { ledgerCounted, ledgerGrowth, trafficCounted, trafficGrowth } from '../support/truth.ts';

/** Two daemons side by side, for most of a life is waiting; each dies so often. */
const SEEDS = [20_260_710, 20_260_711];
const KILLS = 25;
/** The simulated account lives faster than the daemon: data of minutes that are over come late and change. */
const LONGEST_STEP_MS = 2 * MINUTE;
/** A life ends after so many answers of the provider at most: a poll of everything, and some of the next one. */
const MOST_ANSWERS = 8;

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

const SLICES: Readonly<Record<string, { options: Record<string, string>; filter: TrafficFilter }>> = {
  residential: { options: { product_type: 'residential' }, filter: { network: 'residential' } },
  shop: { options: { hostname: 'shop.example' }, filter: { hostname: 'shop.example' } },
  alice: { options: { proxy_user_id: 'user-000003' }, filter: { proxyUserId: 'user-000003' } },
};

const ACCOUNT = {
  traffic: {
    ...EVERY_SECOND,
    // Longer than a minute of the scenario can take to change.
    reread: '5h',
    catch_up: '6h',
    graphs: Object.entries(SLICES).map(([name, { options }]) => ({ name, ...options })),
  },
  residential_ledger: EVERY_SECOND,
  proxy_users: EVERY_SECOND,
};

test('fifty kills', { timeout: 400_000 }, async () => {
  await Promise.all(SEEDS.map(killAgainAndAgain));
});

const killAgainAndAgain = async (seed: number): Promise<void> => {
  const startedAt = Date.now();
  let now = startedAt;
  await using simulator = await startSimulator({ scenario: { seed, ...SCENARIO }, now: () => now });
  const others = { store: { path: 'store.db' }, metrics: { first_step_hold: '1s' } };
  const folder = folderOf({
    'config.yaml': configOf(simulator, { ...ACCOUNT, reconciliation: false }, others),
  });
  const start = () => Program.start(['run', '--config', join(folder, 'config.yaml')]);
  const witness = new Witness();
  {
    await using first = start();
    // The account stands still until its history is stored, so that growth begins at a known instant.
    await allPolledSince(await first.url(), startedAt);
    first.kill('SIGTERM');
    await first.ended;
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    const chance = (n: number): number => draw(seed + kill, n);
    now += chance(1) * LONGEST_STEP_MS;
    await using program = start();
    await live(program, simulator, witness, chance);
    program.kill('SIGKILL');
    await program.ended;
  }
  await using last = start();
  expectTruth(await lastScrape(await last.url()), simulator, startedAt);
  // The lives were long enough to store something.
  expect(witness.changes).toBeGreaterThan(KILLS / 5);
};

/** Until some answer of the provider is being stored, or to anywhere in the program's start. */
const live = async (
  program: Program,
  { requests }: Simulator,
  witness: Witness,
  chance: (n: number) => number,
): Promise<void> => {
  const answers = Math.floor(chance(2) * (MOST_ANSWERS + 1));
  if (answers === 0) return delay((chance(3) * SECOND) / 2);
  const lastAnswer = requests.count() + answers;
  const url = await program.url();
  await witness.look(url);
  await until(() => requests.count() >= lastAnswer);
  await witness.look(url);
  await delay((chance(3) * SECOND) / 50);
};

const expectTruth = ({ samples, end }: LastScrape, simulator: Simulator, startedAt: number): void => {
  for (const name of ['', ...Object.keys(SLICES)]) {
    const truth = trafficGrowth(simulator, SLICES[name]?.filter ?? {}, startedAt, end);
    expect([name, trafficCounted(samples, name)]).toEqual([name, truth]);
  }
  expect(ledgerCounted(samples)).toEqual(ledgerGrowth(simulator, startedAt));
};

/** Looks at every life of the daemon, and sees no counter fall from one to the next. */
class Witness {
  #seen = new Map<string, number>();
  #traffic = Number.NaN;
  /** How often the account's traffic was another, up or down. */
  changes = 0;

  async look(url: string): Promise<void> {
    const text = await getText(`${url}/metrics`);
    const samples = parseSamples(text);
    expect(fallenCounters(this.#seen, samples)).toEqual([]);
    this.#seen = samples;
    const { bytes } = trafficCounted(new Samples(text), '');
    this.changes += Number(bytes !== this.#traffic);
    this.#traffic = bytes;
  }
}

/** Waits until every collector has had a success that began after the instant (ms). */
const allPolledSince = async (url: string, instant: number): Promise<void> => {
  await until(async () => {
    const samples = new Samples(await getText(`${url}/metrics`));
    const attempts = samples.all('proxywatch_collector_last_attempt_timestamp_seconds');
    const successes = samples.all('proxywatch_collector_success', {}).filter(({ value }) => value === 1);
    const isSince = attempts.every(({ value }) => Math.round(value * SECOND) >= instant);
    return isSince && successes.length === Object.keys(ACCOUNT).length;
  });
};

interface LastScrape {
  readonly samples: Samples;
  /** End of the last minute that was asked for (ms). */
  readonly end: number;
}

/** A scrape of polls that began in its own minute: they asked for everything up to the end of that minute. */
const lastScrape = async (url: string): Promise<LastScrape> => {
  for (;;) {
    const minute = Math.floor(Date.now() / MINUTE);
    await allPolledSince(url, Date.now());
    const samples = new Samples(await getText(`${url}/metrics`));
    if (minute === Math.floor(Date.now() / MINUTE)) return { samples, end: (minute + 1) * MINUTE };
  }
};
