// Compares the totals of a graph's answer with the sums of its buckets, and decides what a difference means.

import { MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../errors.ts';
import type { Range } from '../time.ts';

const SUMMED = [
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

/** How an answer may contradict itself and still be stored. */
export const CONTRADICTIONS = ['buckets_below_totals', 'buckets_above_totals'] as const;
export type Contradiction = (typeof CONTRADICTIONS)[number];

/** A total that was given beside the sum of values that every row gave. */
export interface Comparison {
  readonly field: Summed;
  readonly rows: number;
  readonly sum: number;
  readonly total: number;
}

/** The buckets of an answer, in its order. */
interface Answered extends Range {
  readonly starts: readonly number[];
  readonly width: number;
  /** The present (ms). */
  readonly now: number;
}

/** The share of an average bucket that a lost bucket has at least. */
const SIZEABLE = 0.5;
/** The provider publishes the newest buckets late, and its totals may be ahead of them. */
const PUBLISHED_WITHIN_MS = 15 * MINUTE;

/** Only fields that have a total and a value in every row. */
export const compareTotals = (totals: Totals, rows: readonly Row[]): Comparison[] =>
  SUMMED.flatMap((field) => {
    const total = totals[`total_${field}`];
    const given = rows.map((bucket) => bucket[field]);
    if (total === null || given.includes(null)) return [];
    const sum = given.reduce<number>((all, value) => all + (value ?? 0), 0);
    return [{ field, rows: rows.length, sum, total }];
  });

export const contradictionsIn = (comparisons: readonly Comparison[]): Contradiction[] =>
  CONTRADICTIONS.filter((what) =>
    comparisons.some((each) => (what === 'buckets_below_totals' ? lacks(each) : exceeds(each))),
  );

/**
 * Throws bad_response for an answer that lost buckets: there are none at the end of its list, and it lacks as much as a
 * bucket may have. A lost bucket takes its bytes and its requests along; where one of the two adds up, none was lost.
 */
export const refuseCutShort = (comparisons: readonly Comparison[], answered: Answered): void => {
  if (!endsEarly(answered)) return;
  const isWhole = comparisons.some((each) => OF_EVERY_BUCKET.has(each.field) && !lacks(each));
  const lacking = comparisons.find(
    (each) => lacks(each) && each.total - each.sum >= (SIZEABLE * each.sum) / Math.max(1, each.rows),
  );
  if (isWhole || !lacking) return;
  const { field, rows, sum, total } = lacking;
  const what = `answer is cut short: ${rows} buckets add up to ${sum} ${field} of ${total}`;
  throw new ProviderError('bad_response', 'analytics/graph', what);
};

const OF_EVERY_BUCKET: ReadonlySet<Summed> = new Set(['bytes', 'requests']);

/** Money may have fractions, whose sum depends on their order. */
const slackOf = ({ field }: Comparison): number => (field === 'smartpath_money_saved' ? 1e-6 : 0);
const lacks = (each: Comparison): boolean => each.total - each.sum > slackOf(each);
const exceeds = (each: Comparison): boolean => each.sum - each.total > slackOf(each);

/** Whether buckets are missing where the list ends: at the newest end, or at the oldest where that comes last. */
const endsEarly = ({ starts, from, to, width, now }: Answered): boolean => {
  const [oldest, newest] = [Math.min(...starts), Math.max(...starts)];
  const isNewMissing = newest + width < Math.min(to, now - Math.max(PUBLISHED_WITHIN_MS, 2 * width));
  const isOldMissing = oldest > from;
  const [first = 0, last = 0] = [starts.at(0), starts.at(-1)];
  if (starts.length < 2) return isNewMissing || isOldMissing || starts.length === 0;
  return first < last ? isNewMissing : isOldMissing;
};
