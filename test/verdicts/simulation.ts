// Starts what all worlds share, because its start costs more than a world: the simulated provider, and an empty store.

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { Harness, QuickClock } from '../support/harness.ts';
import { testerOf } from './truth.ts';

const START = '2026-07-06T12:00:00Z';
const MOST_TESTERS = 3;

/** The settings of an account that collects nothing else. */
export const NOTHING_ELSE = {
  traffic: false,
  residential_ledger: false,
  proxy_users: false,
  reconciliation: false,
} as const;

export interface Simulation extends AsyncDisposable {
  readonly simulator: Simulator;
  /** A store with all tables, so that no world needs to create them. */
  readonly storeFile: string;
  /** Returns a clock at this time (ms), which the simulated provider follows until the next call. */
  startClock(now: number): QuickClock;
}

export const startSimulation = async (): Promise<Simulation> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-worlds-'));
  const storeFile = join(folder, 'empty.db');
  await writeEmptyStore(storeFile);
  let clock = new QuickClock(START);
  const testers = Array.from({ length: MOST_TESTERS }, (_, index) => placeOf(index));
  const simulator = await startSimulator({
    scenario: { pace: null, users: 1, test_runs_per_day: 1_000_000_000, testers },
    now: () => clock.now(),
  });
  return {
    ...{ simulator, storeFile },
    startClock: (now) => {
      clock = new QuickClock(new Date(now).toISOString());
      return clock;
    },
    [Symbol.asyncDispose]: async () => {
      await simulator[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

const writeEmptyStore = async (path: string): Promise<void> => {
  await using harness = await Harness.build({
    now: START,
    account: { ...NOTHING_ELSE, quotes: { items: [] } },
  });
  await harness.stop();
  await copyFile(harness.storePath, path);
};

const placeOf = (index: number) => {
  const id = testerOf(index);
  return { id, city_id: 100, city_name: id, country_id: 'gb' };
};
