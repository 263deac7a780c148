// Tests that V8 collects the heap less often after the daemon has allowed a larger growth, and more often with little data.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { heapGrowthFor } from '../../src/cli/heap-size.ts';

const run = promisify(execFile);
const MODULE = JSON.stringify(join(import.meta.dirname, '../../src/cli/heap-size.ts'));

/** Keeps 50 MB alive, replaces parts of it, and prints how many collections of the whole heap that took. */
const program = (setting: string): string => `
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { setImmediate } from 'node:timers/promises';
  import { saveMemory, setHeapGrowth } from ${MODULE};
  ${setting};
  let count = 0;
  new PerformanceObserver((list) => {
    count += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  }).observe({ entryTypes: ['gc'] });
  const part = () => Array.from({ length: 1_000 }, (_, n) => ({ n: [n] }));
  const parts = Array.from({ length: 500 }, part);
  for (let n = 0; n < 5_000; n += 1) {
    parts[n % parts.length] = part();
    if (n % 100 === 0) await setImmediate();
  }
  await setImmediate();
  console.log(count);`;

/** One thread, because marking beside the program ends sooner or later with the load of the machine. */
const collections = async (setting: string): Promise<number> => {
  const { stdout } = await run(process.execPath, [
    ...['--max-semi-space-size=1', '--single-threaded-gc', '--input-type=module-typescript', '--no-warnings'],
    ...['-e', program(setting)],
  ]);
  return Number(stdout);
};

test('the heap of a daemon with many accounts is collected less often', async () => {
  const [few, many] = [await collections('setHeapGrowth(1)'), await collections('setHeapGrowth(100)')];
  expect(many).toBeGreaterThan(0);
  expect(many).toBeLessThan(few / 1.5);
});

test('the heap of a daemon with a small exposition is collected more often', async () => {
  const [small, large] = [
    await collections('saveMemory({ length: 1_000 }); setHeapGrowth(1)'),
    await collections('saveMemory({ length: 1e9 }); setHeapGrowth(1)'),
  ];
  expect(large).toBeGreaterThan(0);
  expect(small).toBeGreaterThan(3 * large);
});

test.each([
  [1, 20],
  [20, 20],
  [40, 40],
  [1_000, 100],
])('with %i accounts, the heap grows by %i percent', (accounts, percent) => {
  expect(heapGrowthFor(accounts)).toBe(percent);
});
