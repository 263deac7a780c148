// Compares the totals of a graph's answer with the sums of its buckets, and decides what a difference means.

import { ProviderError } from '../errors.ts';
import { PUBLISHED_WITHIN_MS, type Range } from '../time.ts';

/** The values of a bucket that have a total. */
export const SUMMED = [
  'bytes',
  'requests',
  'successful',
  'error',
  'smartpath_routed_bytes',
  'smartpath_routed_requests',
  'smartpath_money_saved',
] as const;
type Summed = (typeof SUMMED)[number];

type Totals = Readonly<Record<`total_${Summed}`, number | null>>;
type Row = Readonly<Record<Summed, number | null>>;

/** The ways in which an answer may contradict itself and still be stored. */
export const CONTRADICTIONS = ['buckets_below_totals', 'buckets_above_totals'] as const;
export type Contradiction = (typeof CONTRADICTIONS)[number];

export interface Comparison {
  readonly field: Summed;
  readonly rows: number;
  readonly sum: number;
  readonly total: number;
}

/** The range of an answer and the starts of its buckets, in the order of the answer. */
interface AnsweredBuckets extends Range {
  readonly starts: readonly number[];
  readonly width: number;
  /** The current time (ms). */
  readonly now: number;
}

/** A lost bucket has at least this share of an average bucket. */
const MIN_LOST_SHARE = 0.5;

/** Compares the fields that have a total, and a value in every row. */
export const compareTotals = (totals: Totals, rows: readonly Row[]): Comparison[] =>
  SUMMED.flatMap((field) => {
    const total = totals[`total_${field}`];
    const given = rows.map((bucket) => bucket[field]);
    if (total === null || given.includes(null)) return [];
    const sum = given.reduce<number>((all, value) => all + (value ?? 0), 0);
    return [{ field, rows: rows.length, sum, total }];
  });

export const contradictionsIn = (comparisons: readonly Comparison[]): Contradiction[] =>
  CONTRADICTIONS.filter((contradiction) =>
    comparisons.some((each) =>
      contradiction === 'buckets_below_totals' ? isBelowTotal(each) : isAboveTotal(each),
    ),
  );

/**
 * Throws bad_response for an answer that lost buckets: the end of its list is missing, and its sums lack at least as
 * much as a bucket may hold. A lost bucket takes both its bytes and its requests along, so none was lost if one of the
 * two adds up.
 */
export const rejectTruncated = (comparisons: readonly Comparison[], answered: AnsweredBuckets): void => {
  if (!endsEarly(answered)) return;
  const isComplete = comparisons.some((each) => IN_EVERY_BUCKET.has(each.field) && !isBelowTotal(each));
  const shortfall = comparisons.find(
    (each) =>
      isBelowTotal(each) && each.total - each.sum >= (MIN_LOST_SHARE * each.sum) / Math.max(1, each.rows),
  );
  if (isComplete || !shortfall) return;
  const { field, rows, sum, total } = shortfall;
  const problem = `the answer is cut short: ${rows} buckets add up to ${sum} ${field} of ${total}`;
  throw new ProviderError('bad_response', 'analytics/graph', problem);
};

const IN_EVERY_BUCKET: ReadonlySet<Summed> = new Set(['bytes', 'requests']);

/** Money may have fractions, and the sum of floating-point numbers depends on their order. */
const toleranceOf = ({ field }: Comparison): number => (field === 'smartpath_money_saved' ? 1e-6 : 0);
const isBelowTotal = (each: Comparison): boolean => each.total - each.sum > toleranceOf(each);
const isAboveTotal = (each: Comparison): boolean => each.sum - each.total > toleranceOf(each);

/** Whether buckets are missing at the end of the list: the newest ones, or the oldest ones if the order is descending. */
const endsEarly = ({ starts, from, to, width, now }: AnsweredBuckets): boolean => {
  const [oldest, newest] = [Math.min(...starts), Math.max(...starts)];
  // The totals may already include buckets that are not published yet.
  const isNewMissing = newest + width < Math.min(to, now - Math.max(PUBLISHED_WITHIN_MS, 2 * width));
  const isOldMissing = oldest > from;
  const [first = 0, last = 0] = [starts.at(0), starts.at(-1)];
  if (starts.length < 2) return isNewMissing || isOldMissing || starts.length === 0;
  return first < last ? isNewMissing : isOldMissing;
};
