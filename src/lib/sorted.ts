// Searches sorted texts.

/** Returns the place of the first text that is not before `key`, in the order of JavaScript. */
export const insertionIndex = (key: string, sorted: readonly string[]): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
};
