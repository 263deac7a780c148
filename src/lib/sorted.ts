// Searches sorted texts.

/** Returns how many of the texts are before `key` in the order of JavaScript or, with `orEqual`, not after it. */
export const insertionIndex = (key: string, sorted: readonly string[], orEqual = false): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const text = sorted[middle] ?? '';
    if (text < key || (orEqual && text === key)) low = middle + 1;
    else high = middle;
  }
  return low;
};
