// Reads the use of each due day into the store, in several runs if a run has no more requests to spend.

import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { ListingSummary } from '../../provider/pages.ts';
import { localDate } from '../../provider/resources/ledger.ts';
import { type LogSummary, readLogSummaries } from '../../provider/resources/log-summaries.ts';
import { instantOf } from '../../provider/time.ts';
import {
  dateOf,
  dayOf,
  MAX_USE_ROWS,
  newUsePass,
  type Use,
  type UseDay,
  type UsePass,
} from '../../store/log-summary-store.ts';
import type { FailedPart, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { movedError, unreadableError } from '../listings/listing.ts';
import { type ListingPass, ResumableListing } from '../listings/resumable-listing.ts';
import type { UsageOptions } from './options.ts';

type Context = RunContext<UsageOptions>;

/** The day that is half read. */
interface DayReading {
  readonly day: number;
  readonly listing: ResumableListing;
  pass: UsePass;
}
export interface UsageState {
  reading: DayReading | undefined;
}

interface DayTask {
  readonly day: number;
  readonly isToday: boolean;
  /** The requests that the run may still make. */
  readonly budget: { pages: number };
}

/** Rows that come while a day is half read are found by the next pass. */
const MAX_IDLE_MS = 2 * DAY;

export const USAGE_ENDPOINT = 'log_summary/search';

export const collectUsage = async (context: Context, state: UsageState): Promise<Outcome> => {
  const { account, clock, options, store } = context;
  const [now, known] = [clock.now(), await store.logSummaries.days(account.name)];
  const today = dayOf(localDate(now, account.time_zone));
  const budget = { pages: options.max_pages };
  const failedParts: FailedPart[] = [];
  let skipped = 0;
  for (const day of dueDays(known, { today, now, reading: state.reading?.day }, options)) {
    if (budget.pages <= 0) break;
    try {
      skipped += await readDay(context, state, { day, isToday: day === today, budget });
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

const isOfDay = ({ kind }: ProviderError): boolean => kind === 'bad_response' || kind === 'server';

/** Reads a day to its end, or until the run has made all its requests. Returns the number of skipped rows. */
const readDay = async (context: Context, state: UsageState, task: DayTask): Promise<number> => {
  const { clock } = context;
  const begun = await begin(context, state, task.day);
  if (!begun) return 0;
  const { reading, pass } = begun;
  const skippedBefore = pass.progress.skipped;
  try {
    const summary = await readPages(context, reading, pass, task);
    if (summary) {
      state.reading = undefined;
      await end(context, reading, { pass, summary, task });
    } else reading.listing.interrupt(clock, undefined);
  } catch (error) {
    const isContinued = reading.listing.interrupt(clock, error);
    if (!isContinued && error instanceof ProviderError && isOfDay(error)) state.reading = undefined;
    throw error;
  }
  return pass.progress.skipped - skippedBefore;
};

/** Goes on with the day if it is half read. Returns undefined if rows of the day were deleted. */
const begin = async (
  { account, clock, store }: Context,
  state: UsageState,
  day: number,
): Promise<{ readonly reading: DayReading; readonly pass: ListingPass } | undefined> => {
  if (state.reading?.day !== day)
    state.reading = { day, listing: new ResumableListing(true, MAX_IDLE_MS), pass: newUsePass(day) };
  const { reading } = state;
  const pass = reading.listing.begin(clock);
  if (!pass.isResumed) {
    reading.pass = newUsePass(day);
    state.reading = undefined;
    if (!(await store.logSummaries.begin(account.name, day))) return undefined;
    state.reading = reading;
  }
  return { reading, pass };
};

/** Returns undefined if pages are left. */
const readPages = async (
  context: Context,
  reading: DayReading,
  { progress, skippedIds }: ListingPass,
  { day, budget }: DayTask,
): Promise<ListingSummary | undefined> => {
  const { account, client, signal, store } = context;
  const options = { timeZone: account.time_zone, signal, progress };
  // A row does not name its customer.
  await verifyCustomer(context);
  for await (const { items, skippedIds: ids, totalCount, summary } of readLogSummaries(
    client,
    dateOf(day),
    options,
  )) {
    await verifyCustomer(context);
    await store.logSummaries.savePage(account.name, reading.pass, usesOn(day, items));
    for (const id of ids) skippedIds.add(id);
    budget.pages -= 1;
    const total = totalCount < 0 ? undefined : totalCount;
    context.progress({ done: progress.seenIds.size, total, unit: `rows of ${dateOf(day)}` });
    if (summary) return summary;
    if (budget.pages <= 0) return undefined;
  }
  throw new ProviderError('bad_response', USAGE_ENDPOINT, 'the listing ended without its last page');
};

interface ReadDay {
  readonly pass: ListingPass;
  readonly summary: ListingSummary;
  readonly task: DayTask;
}

/** A provider that ignores the filter lists other days too. A row without a day is one of the requested day. */
const usesOn = (day: number, items: readonly LogSummary[]): Use[] =>
  items.filter(({ date }) => date === null || dayOf(date) === day);

const end = async (
  { account, clock, options, store }: Context,
  { pass: usePass }: DayReading,
  { pass, summary, task: { day, isToday } }: ReadDay,
): Promise<void> => {
  const { skipped, distinctIds, isCounted } = summary;
  if (skipped > 0 && pass.skippedIds.size === distinctIds) throw unreadableError(USAGE_ENDPOINT, skipped);
  const known = (await store.logSummaries.days(account.name)).find((each) => each.day === day);
  const isEmptied = usePass.marks.size === 0 && (distinctIds > 0 || (known?.rows ?? 0) > 0);
  await store.logSummaries.end(account.name, usePass, {
    ...{ startedAt: pass.startedAt, now: clock.now(), isToday },
    dayEnd: instantOf(day + DAY, account.time_zone),
    isComplete: isCounted && !isEmptied,
    hasSkipped: pass.skippedIds.size > 0,
    top: { user: options.top_users, hostname: options.top_hostnames },
  });
  if (isEmptied) throw emptiedError(day, distinctIds, known?.rows ?? 0);
  if (!isCounted) throw movedError(USAGE_ENDPOINT, summary);
};

const emptiedError = (day: number, listed: number, rows: number): ProviderError => {
  const others = listed > 0 ? `, but ${listed} rows of other days` : '';
  const message = `the provider lists no use on ${dateOf(day)}${others}; the ${rows} rows that are stored stay`;
  return new ProviderError('bad_response', USAGE_ENDPOINT, message);
};

/** Rows of these days are new or change at any time. */
const LIVE_DAYS = 2;
/** The rest is for the rows to come. */
const FULL_PART = 0.9;

/**
 * Returns today and yesterday, the days of `reread_days` that were last read a day ago, and those of `history_days` that were
 * never read, while the store has room, but none whose rows were deleted. The newest come first, but `reading`, which is half read, before them.
 */
const dueDays = (
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
