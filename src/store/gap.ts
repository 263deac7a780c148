// Computes a graph's gaps: ranges of time that are still to be read although later time was read.

import type { Range } from '../lib/time.ts';

export interface Gap extends Range {
  /** Attempts in a row that failed. */
  readonly tries: number;
  /** When the newest of these attempts was made (ms); null before the first. */
  readonly triedAt: number | null;
}

/** If there are more ranges, the closest two are merged with the time between them. Reading that again does no harm. */
export const MAX_GAPS = 50;

/** Returns what remains of gaps once a range is read. */
export const withoutRange = <T extends Range>(gaps: readonly T[], { from, to }: Range): T[] =>
  gaps
    .flatMap((gap) => [
      { ...gap, to: Math.min(gap.to, from) },
      { ...gap, from: Math.max(gap.from, to) },
    ])
    .filter((gap) => gap.from < gap.to);

/** Returns the gaps with a range that is still to be read added. Parts that already were gaps keep their attempts. */
export const withRange = (gaps: readonly Gap[], range: Range): Gap[] => {
  const fresh = gaps.reduce((left, gap) => withoutRange(left, gap), [{ ...range, tries: 0, triedAt: null }]);
  return normalize([...gaps, ...fresh]);
};

/** Returns the gaps after an attempt to read a range failed at `at` (ms). */
export const afterFailure = (gaps: readonly Gap[], range: Range, at: number): Gap[] => {
  const tried = gaps
    .map((gap) => ({ ...gap, from: Math.max(gap.from, range.from), to: Math.min(gap.to, range.to) }))
    .filter(({ from, to }) => from < to)
    .map((gap) => ({ ...gap, tries: gap.tries + 1, triedAt: at }));
  return normalize([...withoutRange(gaps, range), ...tried]);
};

export const totalLengthMs = (gaps: readonly Range[]): number =>
  gaps.reduce((sum, { from, to }) => sum + (to - from), 0);

export const overlaps = (gaps: readonly Range[], from: number, to: number): boolean =>
  gaps.some((gap) => gap.from < to && gap.to > from);

/** Sorts gaps by time and merges neighbours with the same attempts. */
const normalize = (gaps: readonly Gap[]): Gap[] => {
  const merged: Gap[] = [];
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && last.to >= gap.from && last.tries === gap.tries && last.triedAt === gap.triedAt)
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, gap.to) };
    else merged.push(gap);
  }
  while (merged.length > MAX_GAPS) mergeNearest(merged);
  return merged;
};

const mergeNearest = (gaps: Gap[]): void => {
  const distances = gaps.slice(1).map(({ from }, index) => from - (gaps[index]?.to ?? 0));
  const index = distances.indexOf(Math.min(...distances));
  const [one, other] = gaps.slice(index, index + 2);
  if (!one || !other) return;
  const newest = one.tries >= other.tries ? one : other;
  gaps.splice(index, 2, { ...newest, from: one.from, to: other.to });
};
