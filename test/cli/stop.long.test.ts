// The daemon's end: in good order when it is told to stop, at once when it is told twice, and sound if it is killed.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { folderOf } from '../config/support.ts';
import { configOf } from './in-process.ts';
import { Program, until } from './program.ts';

const SLOW_MS = 60_000;
const STOPPED_WITHIN_MS = 10_000;

interface Daemon {
  readonly program: Program;
  readonly simulator: Simulator;
  readonly storePath: string;
}

const start = async (): Promise<Daemon> => {
  const simulator = await startSimulator({
    scenario: { users: 3, proxies: 2, pace: null },
    now: () => Date.now(),
  });
  onTestFinished(() => simulator[Symbol.asyncDispose]());
  const folder = folderOf({
    'config.yaml': configOf(simulator, { traffic: { catch_up: '1h' } }, { store: { path: 'store.db' } }),
  });
  const program = Program.start(['run', '--config', join(folder, 'config.yaml')]);
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { program, simulator, storePath: join(folder, 'store.db') };
};

/** The daemon in the middle of a run that takes much longer than it may. */
const startSlow = async (): Promise<Daemon> => {
  const daemon = await start();
  daemon.simulator.faults.add({ kind: 'slow', delay_ms: SLOW_MS });
  await until(() => daemon.simulator.requests.recent.length > 0);
  return daemon;
};

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends an idle daemon with 0', async (signal) => {
  const { program } = await start();
  const url = await program.url();
  await until(async () => (await fetch(`${url}/-/ready`)).ok);
  program.kill(signal);
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
});

test('SIGTERM ends it with 0 within 10 s while a request is under way', async () => {
  const { program } = await startSlow();
  const toldAtMs = performance.now();
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - toldAtMs).toBeLessThan(STOPPED_WITHIN_MS);
  expect(program.stderr).toBe('');
});

test('a second word ends it at once', async () => {
  const { program } = await startSlow();
  program.kill('SIGTERM');
  await until(async () => {
    // The echo of the first word is none: sooner or later one of these counts.
    await delay(100);
    program.kill('SIGINT');
    return !program.isRunning;
  });
  expect(await program.ended).toEqual({ code: 1, signal: null });
});

test('kill -9 leaves a store that opens, with what was stored', async () => {
  const { program, simulator, storePath } = await start();
  await until(() => simulator.requests.count() >= 7);
  program.kill('SIGKILL');
  expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
  using store = openSqliteStore({ path: storePath, firstStepHoldMs: 0 });
  expect(await store.traffic.graphs('main')).toHaveLength(5);
});
