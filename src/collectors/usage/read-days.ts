// Reads the use of each due day into the store, in several runs if a run has no more requests to spend.

import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { localDate } from '../../provider/resources/ledger.ts';
import { dateOf, dayOf, MAX_USE_ROWS, type UseDay } from '../../store/log-summary-store.ts';
import type { FailedPart, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import type { UsageOptions } from './options.ts';
import { isOfDay, readDay, type UsageState } from './read-day.ts';

export const collectUsage = async (
  context: RunContext<UsageOptions>,
  state: UsageState,
): Promise<Outcome> => {
  const { account, clock, options, store } = context;
  const [now, known] = [clock.now(), await store.logSummaries.days(account.name)];
  const today = dayOf(localDate(now, account.time_zone));
  const budget = { pages: options.max_pages };
  const failedParts: FailedPart[] = [];
  let skipped = 0;
  for (const day of dueDays(known, { today, now, state }, options)) {
    if (budget.pages <= 0) break;
    try {
      const isLive = today - day < LIVE_DAYS * DAY;
      skipped += await readDay(context, state, { day, isToday: day === today, isLive, budget });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // What the provider refuses or does not answer for one day, it refuses for all.
      if (day === today || !isOfDay(error)) throw error;
      failedParts.push({ part: dateOf(day), error });
      // The next run goes on with this day.
      if (state.reading) break;
    }
  }
  return { skipped, failedParts };
};

/** Rows of these days are new or change at any time. */
const LIVE_DAYS = 2;
/** The rest is for the rows to come. */
const FULL_PART = 0.9;

/**
 * Returns today and yesterday, the days of `reread_days` that were last read a day ago, and those of `history_days` that were
 * never read, while the store has room, but none whose rows were deleted. The newest come first, but the half-read one before them.
 */
const dueDays = (
  known: readonly UseDay[],
  { today, now, state }: { readonly today: number; readonly now: number; readonly state: UsageState },
  { history_days, reread_days }: Pick<UsageOptions, 'history_days' | 'reread_days'>,
): number[] => {
  const isFull = known.reduce((sum, { rows }) => sum + rows, 0) >= MAX_USE_ROWS * FULL_PART;
  const days = new Map(known.map((each) => [each.day, each]));
  return Array.from({ length: Math.max(history_days, reread_days) }, (_, ago) => today - ago * DAY)
    .filter((day, ago) => {
      const { readAt = 0, isDeleted = false } = days.get(day) ?? {};
      const at = state.changes.allReadAt(day) ?? readAt;
      if (isDeleted) return false;
      return ago < LIVE_DAYS || (at === 0 && !isFull) || (ago < reread_days && now - at >= DAY);
    })
    .sort((a, b) => Number(b === state.reading?.day) - Number(a === state.reading?.day));
};
