// Measures what this process holds after a garbage collection.

import { readdirSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';

/** Bytes and counts, by kind. */
export type Held = Readonly<Record<string, number>>;

export const heldByProcess = async (): Promise<Held> => {
  // It collects again and again until nothing more becomes free.
  await globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
  const { external, arrayBuffers } = process.memoryUsage();
  const held: Record<string, number> = { heapUsed: heapWithoutCode(), external, arrayBuffers };
  held['open files'] = readdirSync('/dev/fd').length;
  for (const kind of process.getActiveResourcesInfo()) held[`open ${kind}`] = (held[`open ${kind}`] ?? 0) + 1;
  return held;
};

/** Compiled code is left out: V8 compiles more and more of the program during the whole month. */
const heapWithoutCode = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => !/code|trusted/.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
