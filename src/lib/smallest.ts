// The first few of many texts in order, without sorting them all.

/** The `limit` smallest texts behind `after` by UTF-16 code units, in order. */
export const smallestAfter = (texts: Iterable<string>, after: string, limit: number): string[] => {
  const found: string[] = [];
  for (const text of texts) {
    const last = found.at(-1);
    const isBeyond = found.length >= limit && (last === undefined || text >= last);
    if (text <= after || isBeyond) continue;
    found.splice(placeOf(text, found), 0, text);
    if (found.length > limit) found.pop();
  }
  return found;
};

/** Binary search. */
const placeOf = (text: string, sorted: readonly string[]): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
};
