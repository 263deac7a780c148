// Sorts long lists without blocking the event loop.

import { setImmediate } from 'node:timers/promises';

/** How many items are sorted or merged before other work runs. Comparing texts, that takes a few milliseconds. */
const SLICE = 4_000;

export const sortInSlices = async <T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<T[]> => {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += SLICE) {
    runs.push(items.slice(from, from + SLICE).sort(compare));
    await setImmediate();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let first = 0; first < runs.length; first += 2)
      merged.push(await merge(runs[first] ?? [], runs[first + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
};

const merge = async <T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<T[]> => {
  const merged: T[] = [];
  for (let [i, j] = [0, 0]; i < one.length || j < other.length; ) {
    const takesFirst = j >= other.length || (i < one.length && compare(one[i] as T, other[j] as T) <= 0);
    merged.push((takesFirst ? one[i++] : other[j++]) as T);
    if (merged.length % SLICE === 0) await setImmediate();
  }
  return merged;
};

/** Orders texts by UTF-16 code units, as `<` does. */
export const compareTexts = (one: string, other: string): number =>
  one === other ? 0 : one < other ? -1 : 1;

/** Returns how many of the ascending texts are less than the text or, with `orEqual`, not greater. */
export const countBelow = (ascending: readonly string[], text: string, orEqual = false): number => {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareTexts(ascending[middle] ?? '', text);
    if (order < 0 || (orEqual && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
};
