// Finds the known words that the writer of an unknown one may have meant, for "did you mean" messages.

/** Returns the word of `known` with the smallest edit distance, if it is close enough to be likely. */
export const closestMatch = (word: string, known: Iterable<string>): string | undefined => {
  let best: string | undefined;
  let bestDistance = Math.floor(word.length / 3) + 1;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
};

/** Computes the Levenshtein distance, one row of its table at a time. */
export const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, charA] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, charB] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (charA === charB ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** The most names that a message lists. */
const MAX_NAMES = 10;

/** Returns a text such as `"mian" is not known. Did you mean main?`. */
export const describeUnknownName = (name: string, known: readonly string[]): string => {
  const near = nearNames(name, known);
  if (near.length > 0) return `"${name}" is not known. Did you mean ${near.join(', ')}?`;
  const listed = known.slice(0, MAX_NAMES).join(', ');
  return `"${name}" is not known; expected one of ${listed}${known.length > MAX_NAMES ? ', …' : ''}`;
};

/** Returns the names that contain the text, or the one with the fewest different letters. Case does not matter. */
const nearNames = (name: string, known: readonly string[]): string[] => {
  const lower = name.toLowerCase();
  const containing = known.filter((each) => lower !== '' && each.toLowerCase().includes(lower));
  if (containing.length > 0) return containing.slice(0, MAX_NAMES);
  const closest = closestMatch(lower, new Set(known.map((each) => each.toLowerCase())));
  return known.filter((each) => each.toLowerCase() === closest).slice(0, 1);
};
