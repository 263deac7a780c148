// Sizes the heap of V8 for the number of accounts. With few accounts, a small heap saves memory. With many accounts, it
// costs CPU time, and it is a small part of the memory: 300 accounts took 36 instead of 22 s of CPU time a minute, and
// collected their whole heap 25 times in it, for 844 instead of 849 MB.

import { setFlagsFromString } from 'node:v8';
import { SECOND } from '../lib/time.ts';

/** In percent. low-memory.cjs sets the smallest growth before the program is loaded. */
const [MIN_GROWTH, MAX_GROWTH] = [20, 100];
const YOUNG = '--max-semi-space-size=';
/** In MB. low-memory.cjs sets the smallest size when it replaces the process. */
const [MIN_YOUNG, MAX_YOUNG] = [1, 16];
const ACCOUNTS_PER_MB = 20;

/** Returns by how many percent the heap may grow before all of it is collected, because a collection reads all of it. */
export const heapGrowthFor = (accounts: number): number =>
  Math.min(MAX_GROWTH, Math.max(MIN_GROWTH, accounts));

/** V8 reads this flag at each collection, so it takes effect while the program runs. */
export const setHeapGrowth = (accounts: number): void =>
  setFlagsFromString(`--heap-growing-percent=${heapGrowthFor(accounts)}`);

/** In bytes of plain text: those of 9,000 series. */
const SMALL_EXPOSITION = 1_000_000;
const CHECK_INTERVAL_MS = 10 * SECOND;

/**
 * While the exposition is small, V8 collects the heap after it has grown by 2 instead of 8 MB, and gives memory back at
 * once. A small account takes 22 MB less for the same CPU time, but a poll of 20,000 users takes up to 20 % more of it. V8
 * reads this flag at each collection.
 */
export const saveMemory = (exposition: { readonly length: number }): Disposable => {
  let isSaving: boolean | undefined;
  const adapt = (): void => {
    const isSmall = exposition.length < SMALL_EXPOSITION;
    if (isSmall !== isSaving) setFlagsFromString(isSmall ? '--memory-saver-mode' : '--no-memory-saver-mode');
    isSaving = isSmall;
  };
  adapt();
  const timer = setInterval(adapt, CHECK_INTERVAL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
};

/**
 * Replaces the process by one with a larger young generation if there are many accounts. Their polls overlap, and an answer
 * that is still in use when the young generation is full moves to the old one, where only a collection of the whole heap
 * frees it. V8 reads the size only when a process starts. Keeps any other size that the operator has set.
 */
export const enlargeYoungGeneration = (accounts: number): void => {
  const { argv, env, execArgv, execPath } = process;
  const size = Math.min(MAX_YOUNG, Math.ceil(accounts / ACCOUNTS_PER_MB));
  const smallest = `${YOUNG}${MIN_YOUNG}`;
  if (size <= MIN_YOUNG || !execArgv.includes(smallest)) return;
  const flags = execArgv.map((flag) => (flag === smallest ? `${YOUNG}${size}` : flag));
  process.execve?.(execPath, [execPath, ...flags, ...argv.slice(1)], env);
};
