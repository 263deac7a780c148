// Reads the use of one day into the store: all rows, or those that changed, in several runs if a run has no more requests to spend.

import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { ListingSummary } from '../../provider/pages.ts';
import { type LogSummary, readLogSummaries } from '../../provider/resources/log-summaries.ts';
import { instantOf } from '../../provider/time.ts';
import { dateOf, dayOf, newUsePass } from '../../store/log-summary-store.ts';
import type { RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { movedError, unreadableError } from '../listings/listing.ts';
import { type ListingPass, ResumableListing } from '../listings/resumable-listing.ts';
import { ChangedRows, type Evidence, isLeftOut, newestOf } from './changed-rows.ts';
import type { UsageOptions } from './options.ts';

type Context = RunContext<UsageOptions>;

export interface UsageState {
  /** The day that is half read. */
  reading: DayReading | undefined;
  readonly changes: ChangedRows;
}
export const newUsageState = (): UsageState => ({ reading: undefined, changes: new ChangedRows() });

export interface DayTask {
  readonly day: number;
  readonly isToday: boolean;
  /** Whether rows of the day are new or change at any time. */
  readonly isLive: boolean;
  /** The requests that the run may still make. */
  readonly budget: { pages: number };
  /** Given if changed rows were not enough in this run. */
  readonly all?: { readonly hasFilterFailed: boolean };
}

/** Rows that come while a day is half read are found by the next pass. */
const MAX_IDLE_MS = 2 * DAY;

export const USAGE_ENDPOINT = 'log_summary/search';

/** Whether the error says nothing about other days. */
export const isOfDay = ({ kind }: ProviderError): boolean => kind === 'bad_response' || kind === 'server';

/** Reads a day to its end, or until the run has made all its requests. Returns the number of skipped rows. */
export const readDay = async (context: Context, state: UsageState, task: DayTask): Promise<number> => {
  const { clock } = context;
  const begun = await begin(context, state, task);
  if (!begun) return 0;
  const { reading, pass } = begun;
  const skippedBefore = pass.progress.skipped;
  let hasFilterFailed = false;
  try {
    const summary = await readPages(context, reading, pass, task);
    if (!summary) {
      reading.listing.interrupt(clock, undefined);
      return pass.progress.skipped - skippedBefore;
    }
    state.reading = undefined;
    if (isEnough(reading, pass, summary)) {
      await end(context, state, { reading, pass, summary, task });
      return pass.progress.skipped - skippedBefore;
    }
    hasFilterFailed = !isUsable(reading, pass);
  } catch (error) {
    const isContinued = reading.listing.interrupt(clock, error);
    if (!(error instanceof ProviderError)) throw error;
    if (!isContinued && isOfDay(error)) state.reading = undefined;
    // The provider may refuse the filter, or not bear it.
    if (!reading.filter || context.signal.aborted || !isOfFilter(error)) throw error;
    hasFilterFailed = true;
  }
  return readAll(context, state, task, hasFilterFailed);
};

/** Whether the same request without the filter may succeed. */
const isOfFilter = ({ kind }: ProviderError): boolean => kind !== 'rate_limited' && kind !== 'auth';

/** If the filter failed, it is distrusted once all rows were read, because the provider may also be down. */
const readAll = (
  context: Context,
  state: UsageState,
  task: DayTask,
  hasFilterFailed: boolean,
): Promise<number> => {
  state.reading = undefined;
  return readDay(context, state, { ...task, all: { hasFilterFailed } });
};

/** A filter is useless if it does not work, or if all rows are needed because names may have been summarised. */
const isUsable = (
  { filter, isFilterIgnored, pass: { groups, repeated } }: DayReading,
  { progress: { seenIds } }: ListingPass,
): boolean =>
  filter !== undefined &&
  seenIds.has(filter.newest.id) &&
  !isFilterIgnored &&
  groups.size + repeated.size === 0;

/** What is less than before may have moved to a wider name. */
const isEnough = (reading: DayReading, pass: ListingPass, { isCounted }: ListingSummary): boolean =>
  !reading.filter || (isUsable(reading, pass) && isCounted && !reading.pass.hasFallen);

/** `before` is the filter after the reading before, by which the times of update are judged. */
const newReading = ({ clock, account }: Context, { changes }: UsageState, { day, isLive, all }: DayTask) => {
  const before = changes.filterOf(day);
  const dayEnd = instantOf(day + DAY, account.time_zone);
  const areEnough = isLive && !all && changes.areEnough(day, clock.now(), dayEnd);
  const filter = areEnough ? before : undefined;
  const evidence: Evidence = { proofs: 0, leftOut: 0 };
  const { hasFilterFailed = false } = all ?? {};
  return {
    ...{ before, filter, evidence, newest: filter?.newest, pass: newUsePass(day) },
    ...{ isFilterIgnored: false, hasFilterFailed },
  };
};
type DayReading = ReturnType<typeof newReading> & {
  readonly day: number;
  readonly listing: ResumableListing;
};

/** Goes on with the day if it is half read. Returns undefined if rows of the day were deleted. */
const begin = async (
  context: Context,
  state: UsageState,
  task: DayTask,
): Promise<{ readonly reading: DayReading; readonly pass: ListingPass } | undefined> => {
  const { account, clock, store } = context;
  const { day } = task;
  const known = state.reading?.day === day ? state.reading : undefined;
  const listing = known?.listing ?? new ResumableListing(true, MAX_IDLE_MS);
  const pass = listing.begin(clock);
  if (known && pass.isResumed) return { reading: known, pass };
  state.reading = undefined;
  if (!(await store.logSummaries.begin(account.name, day))) return undefined;
  const reading = { day, listing, ...newReading(context, state, task) };
  state.reading = reading;
  return { reading, pass };
};

/** At least so many rows are stored together, so that a quiet pass has few transactions. */
const SAVED_AT_ONCE = 500;

/** Returns undefined if pages are left. */
const readPages = async (
  context: Context,
  reading: DayReading,
  { progress, skippedIds }: ListingPass,
  { day, budget }: DayTask,
): Promise<ListingSummary | undefined> => {
  const { account, client, signal } = context;
  const options = { timeZone: account.time_zone, signal, progress, since: reading.filter?.since };
  const unsaved: LogSummary[] = [];
  const save = () => saveRows(context, reading, unsaved.splice(0));
  // A row does not name its customer.
  await verifyCustomer(context);
  try {
    for await (const page of readLogSummaries(client, dateOf(day), options)) {
      await verifyCustomer(context);
      unsaved.push(...rowsOn(day, page.items));
      if (unsaved.length >= SAVED_AT_ONCE) await save();
      for (const id of page.skippedIds) skippedIds.add(id);
      budget.pages -= 1;
      const total = page.totalCount < 0 ? undefined : page.totalCount;
      context.progress({ done: progress.seenIds.size, total, unit: `rows of ${dateOf(day)}` });
      if (page.summary) return page.summary;
      if (budget.pages <= 0) return undefined;
    }
  } finally {
    await save();
  }
  throw new ProviderError('bad_response', USAGE_ENDPOINT, 'the listing ended without its last page');
};

/** A provider that ignores the filter lists other days too. A row without a day is one of the requested day. */
const rowsOn = (day: number, items: readonly LogSummary[]): LogSummary[] =>
  items.filter(({ date }) => date === null || dayOf(date) === day);

const saveRows = async (
  { account, store }: Context,
  reading: DayReading,
  rows: readonly LogSummary[],
): Promise<void> => {
  const { before, evidence, filter, pass } = reading;
  try {
    const { added, changed } = await store.logSummaries.saveRows(account.name, pass, rows);
    if (before) {
      const updated = changed.filter(({ updatedAt }) => Number(updatedAt) > before.newest.updatedAt);
      evidence.proofs += updated.length;
      evidence.leftOut += [...added, ...changed].filter((row) => isLeftOut(before, row)).length;
    }
  } catch (error) {
    // These rows may be of earlier pages than those that a continued listing would read again.
    reading.listing.restart();
    throw error;
  }
  reading.newest = newestOf(reading.newest, rows);
  reading.isFilterIgnored ||= filter !== undefined && rows.some((row) => isLeftOut(filter, row));
};

interface ReadDay {
  readonly reading: DayReading;
  readonly pass: ListingPass;
  readonly summary: ListingSummary;
  readonly task: DayTask;
}

const end = async (
  { account, clock, options, store }: Context,
  { changes }: UsageState,
  { reading, pass, summary, task: { day, isToday, isLive } }: ReadDay,
): Promise<void> => {
  const { skipped, distinctIds, isCounted } = summary;
  if (skipped > 0 && pass.skippedIds.size === distinctIds) throw unreadableError(USAGE_ENDPOINT, skipped);
  const known = (await store.logSummaries.days(account.name)).find((each) => each.day === day);
  const isEmptied = reading.pass.marks.size === 0 && (distinctIds > 0 || (known?.rows ?? 0) > 0);
  await store.logSummaries.end(account.name, reading.pass, {
    ...{ startedAt: pass.startedAt, now: clock.now(), isToday },
    dayEnd: instantOf(day + DAY, account.time_zone),
    isComplete: isCounted && !isEmptied,
    lacksRows: pass.skippedIds.size > 0 || reading.filter !== undefined,
    top: { user: options.top_users, hostname: options.top_hostnames },
  });
  if (isEmptied) throw emptiedError(day, distinctIds, known?.rows ?? 0);
  if (!isCounted) throw movedError(USAGE_ENDPOINT, summary);
  if (!isLive) return changes.forget(day);
  const { newest, filter, evidence, pass: usePass } = reading;
  // The first of several rows with one name always looks changed.
  evidence.leftOut += usePass.repeated.size;
  const times = { startedAt: pass.startedAt, now: clock.now() };
  changes.recordReading(day, { ...times, newest, evidence: filter ? undefined : evidence });
  if (reading.hasFilterFailed) changes.distrust(clock.now());
};

const emptiedError = (day: number, listed: number, rows: number): ProviderError => {
  const others = listed > 0 ? `, but ${listed} rows of other days` : '';
  const message = `the provider lists no use on ${dateOf(day)}${others}; the ${rows} rows that are stored stay`;
  return new ProviderError('bad_response', USAGE_ENDPOINT, message);
};
