// Counts rows by their code without listing them: ranges of codes that have rows are halved down to single groups of codes.

import { SUCCESS_CODE } from '../../provider/resources/request-log.ts';

/** A code of three digits, or all of four with the same first three (`FOUR_DIGITS` higher): the last is for the support. */
export type CodeGroup = number;
const FOUR_DIGITS = 900;
const [FIRST, LAST]: readonly [CodeGroup, CodeGroup] = [100, 999 + FOUR_DIGITS];

/** Returns undefined for a number that is no code of the provider. */
export const groupOf = (code: number): CodeGroup | undefined => {
  if (code >= FIRST && code < 1_000) return code;
  return code >= 1_000 && code < 10_000 ? Math.floor(code / 10) + FOUR_DIGITS : undefined;
};

/** Returns the first three digits, and whether there are four. */
export const digitsOf = (group: CodeGroup): { readonly digits: number; readonly hasFour: boolean } =>
  group < 1_000 ? { digits: group, hasFour: false } : { digits: group - FOUR_DIGITS, hasFour: true };

/** A range of codes; both are inclusive. */
export interface Codes {
  readonly minCode: number;
  readonly maxCode: number;
}

const codesOf = (first: CodeGroup, last: CodeGroup): Codes => ({
  minCode: first < 1_000 ? first : (first - FOUR_DIGITS) * 10,
  maxCode: last < 1_000 ? last : (last - FOUR_DIGITS) * 10 + 9,
});

/** Returns the number of rows with these codes. */
export type Ask = (codes: Codes) => Promise<number>;

/**
 * Returns the number of rows of each group that has any. `total` is the number of rows with any code or none. It first asks for
 * success and for `likely` groups, and stops when these are all rows. Rows can arrive meanwhile: a rest is then too small and
 * its rows stay without a group, but no group has more rows than the provider.
 */
export const countByGroup = async (
  ask: Ask,
  total: number,
  likely: readonly CodeGroup[],
): Promise<Map<CodeGroup, number>> => {
  const counts = new Map<CodeGroup, number>();
  const add = (group: CodeGroup, rows: number) => {
    if (rows > 0) counts.set(group, (counts.get(group) ?? 0) + rows);
  };
  const countedIn = (first: CodeGroup, last: CodeGroup): number =>
    [...counts].reduce((sum, [group, rows]) => sum + (group >= first && group <= last ? rows : 0), 0);

  /** `left` is the number of rows in the range that are in no counted group. */
  const search = async (first: CodeGroup, last: CodeGroup, left: number): Promise<void> => {
    if (left <= 0) return;
    if (first === last) return add(first, left);
    const middle = Math.floor((first + last) / 2);
    const leftInHalf = (await ask(codesOf(first, middle))) - countedIn(first, middle);
    // The provider counted fewer rows than before, so the difference shows nothing.
    if (leftInHalf < 0) return;
    await search(first, middle, leftInHalf);
    await search(middle + 1, last, left - leftInHalf);
  };

  let left = total;
  for (const group of new Set([SUCCESS_CODE, ...likely])) {
    if (left <= 0) return counts;
    const rows = await ask(codesOf(group, group));
    add(group, rows);
    left -= rows;
  }
  if (left > 0) {
    const coded = await ask(codesOf(FIRST, LAST));
    await search(FIRST, LAST, coded - countedIn(FIRST, LAST));
  }
  return counts;
};
