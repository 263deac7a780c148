// A proxy user's used bytes over resets and corrections.

/**
 * What a change of used bytes adds to the user's usage. The provider resets `used` to 0 at times and corrects
 * it at others, and says of neither: a fall to less than half is taken for a reset, after which all that is
 * used is new; a smaller fall is a correction and takes back what had been counted.
 */
export const usageGrowth = (before: number, after: number): number =>
  after < before / 2 ? after : after - before;
