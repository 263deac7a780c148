// Finds the next page of many keys in order, without sorting all of them.

/** Returns the `limit` smallest keys greater than `after`, ordered by UTF-16 code units. */
export const firstAfter = (keys: Iterable<string>, after: string, limit: number): string[] => {
  const found: string[] = [];
  for (const key of keys) {
    const last = found.at(-1);
    const isBeyond = found.length >= limit && (last === undefined || key >= last);
    if (key <= after || isBeyond) continue;
    found.splice(insertionIndex(key, found), 0, key);
    if (found.length > limit) found.pop();
  }
  return found;
};

/** Finds by binary search where `key` belongs in `sorted`. */
const insertionIndex = (key: string, sorted: readonly string[]): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
};
