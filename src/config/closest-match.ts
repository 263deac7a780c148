// Finds the known word that is closest to a misspelt one, for "did you mean" messages.

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
