// Chooses the days whose use a run reads.

import { DAY } from '../../lib/time.ts';
import { MAX_USE_ROWS, type UseDay } from '../../store/log-summary-store.ts';
import type { UsageOptions } from './options.ts';

/** Rows of these days are new or change at any time. */
const LIVE_DAYS = 2;
/** The rest is for the rows to come. */
const FULL_PART = 0.9;

/**
 * Returns today and yesterday, the days of `reread_days` that were last read a day ago, and those of `history_days` that were
 * never read, while the store has room, but none whose rows were deleted. The newest come first, but `reading`, which is half read, before them.
 */
export const dueDays = (
  known: readonly UseDay[],
  {
    today,
    now,
    reading,
  }: { readonly today: number; readonly now: number; readonly reading: number | undefined },
  { history_days, reread_days }: Pick<UsageOptions, 'history_days' | 'reread_days'>,
): number[] => {
  const isFull = known.reduce((sum, { rows }) => sum + rows, 0) >= MAX_USE_ROWS * FULL_PART;
  const days = new Map(known.map((each) => [each.day, each]));
  return Array.from({ length: Math.max(history_days, reread_days) }, (_, ago) => today - ago * DAY)
    .filter((day, ago) => {
      const { readAt: at = 0, isDeleted = false } = days.get(day) ?? {};
      if (isDeleted) return false;
      return ago < LIVE_DAYS || (at === 0 && !isFull) || (ago < reread_days && now - at >= DAY);
    })
    .sort((a, b) => Number(b === reading) - Number(a === reading));
};
