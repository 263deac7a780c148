// Tests kill -9 at fifty moments, or as many as PROXYWATCH_KILLS says: counters minus withheld values still equal the truth to the byte.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { draw } from '../../src/simulator/random.ts';
import type { ScenarioInput } from '../../src/simulator/scenario.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { Program, waitUntil } from '../cli/program.ts';
import { configText } from '../cli/run-command.ts';
import { createFolder } from '../config/support.ts';
import { allPolledSince, CounterObserver, expectTruth, GRAPHS, lastScrape } from '../support/daemon-truth.ts';

/** Two daemons run in parallel, because they mostly wait; each is killed half of the times. */
const SEEDS = [20_260_710, 20_260_711];
const KILLS = Number(process.env.PROXYWATCH_KILLS ?? 50) / SEEDS.length;
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

const ACCOUNT = {
  traffic: {
    ...EVERY_SECOND,
    // Longer than the scenario takes to revise a minute.
    reread: '5h',
    catch_up: '6h',
    graphs: GRAPHS,
  },
  residential_ledger: EVERY_SECOND,
  proxy_users: EVERY_SECOND,
};

const COLLECTORS = Object.keys(ACCOUNT).length;

test(`${SEEDS.length * KILLS} kills`, { timeout: KILLS * 30_000 }, async () => {
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
    await allPolledSince(await first.url(), COLLECTORS, startedAt);
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
  expectTruth(await lastScrape(await last.url(), COLLECTORS), simulator, startedAt);
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
