// Runs a daemon in a process of its own, on a clock that the parent process moves, and reports what the daemon holds.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeHeapSnapshot } from 'node:v8';
import { createLog } from '../../../src/cli/logger.ts';
import { createApp } from '../../../src/daemon/app.ts';
import { loadSettings } from '../../../src/daemon/load-settings.ts';
import { Reloader, serve } from '../../../src/daemon/serve.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { DrivenClock } from './driven-clock.ts';
import type { Order } from './driven-daemon.ts';
import { heldByProcess } from './held.ts';

const [file = '', now = '', shortMs] = process.argv.slice(2);
/** Alerts are evaluated every ten minutes instead of every 15 s, and their hold times are longer by the same factor. */
const HOLD_SCALE = 40;
/** The daemon's tick starts runs in this many turns of the event loop. */
const TURNS_TO_START = 3;

const clock = new DrivenClock(now, shortMs === undefined ? undefined : Number(shortMs));
let tick = Promise.withResolvers<void>();

/** The clock of the daemon's loop, which goes on when the parent process orders a tick. */
const tickClock: Clock = {
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  deadline: (ms) => clock.deadline(ms),
  sleep: () => tick.promise,
};

const load = () => loadSettings(file, process.env);
const { config: settings, mistakeAt } = load();
const log = createLog(settings.log, process.stdout);
const reloader = new Reloader({ load, clock, log });
const common = { settings, clock, log, version: '0.0.0-test' };
const app = await createApp({
  ...common,
  ...{ mistakeAt, nodeVersion: process.versions.node, isDurable: false, holdScale: HOLD_SCALE },
});

const jobs = app.accounts.reduce((sum, account) => sum + account.jobs.length, 0);
let areJobsAdded = false;
/** A daemon that has just begun to serve has not added all jobs yet. */
const jobsAdded = async (): Promise<void> => {
  while (!areJobsAdded) {
    await nextTurn();
    areJobsAdded = app.runner.status().length === jobs;
  }
};

const advanceTo = async (time: number): Promise<void> => {
  clock.advanceTo(time);
  tick.resolve();
  tick = Promise.withResolvers();
  await jobsAdded();
  for (let turn = 0; turn < TURNS_TO_START; turn += 1) await nextTurn();
  await app.runner.idle();
  await app.alerting.idle();
  await app.maintenance.idle();
  await app.journal.idle();
  await app.remoteWriting.idle();
};

const obey = async (order: Order): Promise<unknown> => {
  if (order.kind === 'advance') return advanceTo(order.to);
  if (order.kind === 'held') return { ...(await heldByProcess()), sleepers: clock.sleepers };
  return writeHeapSnapshot(order.file);
};

process.on('message', async (order: Order) => {
  process.send?.((await obey(order)) ?? {});
});
const stop = new AbortController();
process.once('disconnect', () => {
  stop.abort();
  tick.resolve();
});

await serve({ app, ...common, clock: tickClock, signal: stop.signal, reloader });
await app[Symbol.asyncDispose]();
