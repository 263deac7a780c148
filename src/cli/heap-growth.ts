// Lets the heap of a daemon with many accounts grow in larger steps.

import { setFlagsFromString } from 'node:v8';

/** In percent. low-memory.cjs sets the smallest growth before the program is loaded. */
const [MIN_GROWTH, MAX_GROWTH] = [20, 100];

/**
 * Returns by how many percent the heap may grow before all of it is collected. With few accounts, small steps save memory.
 * With many accounts, each collection reads a large heap, and the heap is a small part of the memory.
 */
export const heapGrowthFor = (accounts: number): number =>
  Math.min(MAX_GROWTH, Math.max(MIN_GROWTH, accounts));

/** V8 reads this flag at each collection, so it takes effect while the program runs. */
export const setHeapGrowth = (accounts: number): void =>
  setFlagsFromString(`--heap-growing-percent=${heapGrowthFor(accounts)}`);
