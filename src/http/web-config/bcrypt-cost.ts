// Reads the cost of a bcrypt hash, and estimates the time that it takes to check a password.

/** Seconds that a common CPU needs at cost 10. Each step of the cost doubles the time. */
const SECONDS_AT_10 = 0.09;

/** Returns the binary logarithm of the number of rounds. */
export const costOf = (hash: string): number => Number(hash.slice(4, 6));

export const mostExpensiveOf = (hashes: readonly string[]): string | undefined =>
  hashes.toSorted((one, other) => costOf(other) - costOf(one))[0];

/** Returns a rounded text such as `6 seconds` or `26 hours`. */
export const describeTimeAt = (cost: number): string => {
  const seconds = SECONDS_AT_10 * 2 ** (cost - 10);
  if (seconds < 120) return `${Math.round(seconds)} seconds`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
};
