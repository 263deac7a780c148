// Tests how the daemon ends: in good order after one stop signal, at once after two, and with a valid store if killed.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createFolder } from '../config/support.ts';
import { Program, waitUntil } from './program.ts';
import { configText } from './run-command.ts';

const DELAY_MS = 60_000;
const MAX_STOP_MS = 10_000;

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
  const folder = createFolder({
    'config.yaml': configText(simulator, { traffic: { catch_up: '1h' } }, { store: { path: 'store.db' } }),
  });
  const program = Program.start(['run', '--config', join(folder, 'config.yaml')]);
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { program, simulator, storePath: join(folder, 'store.db') };
};

/** Starts a daemon and waits until a run has begun that takes much longer than a stop may. */
const startSlow = async (): Promise<Daemon> => {
  const daemon = await start();
  daemon.simulator.faults.add({ kind: 'slow', delay_ms: DELAY_MS });
  await waitUntil(() => daemon.simulator.requests.recent.length > 0);
  return daemon;
};

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends an idle daemon with 0', async (signal) => {
  const { program } = await start();
  const url = await program.url();
  await waitUntil(async () => (await fetch(`${url}/-/ready`)).ok);
  program.kill(signal);
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
});

test('SIGTERM ends it with 0 within 10 s during a request', async () => {
  const { program } = await startSlow();
  const signalledAtMs = performance.now();
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - signalledAtMs).toBeLessThan(MAX_STOP_MS);
  expect(program.stderr).toBe('');
});

test('a second stop signal ends it at once', async () => {
  const { program } = await startSlow();
  program.kill('SIGTERM');
  await waitUntil(async () => {
    // A repetition right after the first signal does not count, so signals are sent until one counts.
    await delay(100);
    program.kill('SIGINT');
    return !program.isRunning;
  });
  expect(await program.ended).toEqual({ code: 1, signal: null });
});

test('kill -9 leaves a store that opens and has the stored data', async () => {
  const { program, simulator, storePath } = await start();
  await waitUntil(() => simulator.requests.count() >= 7);
  program.kill('SIGKILL');
  expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
  using store = openSqliteStore({ path: storePath, firstStepHoldMs: 0 });
  expect(await store.traffic.graphs('main')).toHaveLength(5);
});
