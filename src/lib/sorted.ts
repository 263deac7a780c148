// Searches sorted texts or numbers.

/** Returns how many of the values are before `key` in the order of JavaScript or, with `orEqual`, not after it. */
export const insertionIndex = <T extends string | number>(
  key: T,
  sorted: ArrayLike<T>,
  orEqual = false,
): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle] as T;
    if (value < key || (orEqual && value === key)) low = middle + 1;
    else high = middle;
  }
  return low;
};
