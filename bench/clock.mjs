// Loaded into a measured process before its program: gives it another clock, and watches its event loop. It is JavaScript,
// because even the loader of TypeScript takes memory.
//
// CLOCK_SPEED: how many times as fast as the machine's clock. CLOCK_ORIGIN (ms): when both clocks showed the same time.
// CLOCK_BEHIND (ms): how far the clock is behind in addition. BLOCK_FILE: SIGUSR2 writes the longest time (CPU ms) between
// two turns of the event loop into this file, begins again, and sets the clock ahead by what FILE.ahead says (ms).

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';

const numberOf = (/** @type {string} */ name) => Number(process.env[name] ?? 0);
const { BLOCK_FILE } = process.env;
const [speed, origin, behind] = [numberOf('CLOCK_SPEED'), numberOf('CLOCK_ORIGIN'), numberOf('CLOCK_BEHIND')];
let ahead = 0;
const real = { Date, setTimeout, setInterval, sleep: promises.setTimeout };

const now = () => Math.floor(origin + speed * (real.Date.now() - origin) - behind + ahead);

globalThis.Date = new Proxy(real.Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

if (speed !== 1) {
  const realNow = performance.now.bind(performance);
  performance.now = () => speed * realNow();
  const faster =
    (/** @type {typeof setTimeout | typeof setInterval} */ start) =>
    (/** @type {() => void} */ run, ms = 0, /** @type {[]} */ ...args) =>
      start(run, ms / speed, ...args);
  Object.assign(timers, { setTimeout: faster(setTimeout), setInterval: faster(setInterval) });
  Object.assign(promises, {
    setTimeout: (ms = 0, /** @type {[unknown?, object?]} */ ...args) => real.sleep(ms / speed, ...args),
  });
  Object.assign(globalThis, { setTimeout: timers.setTimeout, setInterval: timers.setInterval });
  syncBuiltinESMExports();
}

if (BLOCK_FILE) {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [last, longest] = [cpuMs(), 0];
  // More often, it would itself take a percent of a core. So a block seems up to 5 ms longer than it is.
  const watching = real.setInterval(() => {
    const current = cpuMs();
    longest = Math.max(longest, current - last);
    last = current;
  }, 5);
  watching.unref();
  process.on('SIGUSR2', () => {
    ahead = Number(readFileSync(`${BLOCK_FILE}.ahead`, 'utf8'));
    writeFileSync(`${BLOCK_FILE}.new`, String(longest));
    renameSync(`${BLOCK_FILE}.new`, BLOCK_FILE);
    longest = 0;
  });
}
