// Reads a listing page by page into the store, in several runs if necessary, or a short one into memory.

import type { Clock } from '../../lib/clock.ts';
import type { IdSet } from '../../lib/sorted.ts';
import { HOUR } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { ListingProgress, ListingSummary, Page } from '../../provider/pages.ts';
import type { Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { checkCustomer } from '../customer.ts';
import { type ListingPass, ResumableListing } from './resumable-listing.ts';

interface Item {
  readonly id: string;
  readonly customerId: number | null;
}

export interface ListingResult {
  /** The ids that the listing had, including those of items that did not decode. */
  readonly seenIds: IdSet;
  /** The ids of items that did not decode. */
  readonly skippedIds: ReadonlySet<string>;
  /** When the first run of the listing began to read (ms). */
  readonly startedAt: number;
  /** Whether all rows were seen and none moved during the listing. */
  readonly isComplete: boolean;
  /** Whether all rows were seen except those that changed during the listing. */
  readonly isCounted: boolean;
  /** Whether the listing took several runs. No row is then treated as removed, because a missing one may have moved. */
  readonly isResumed: boolean;
  readonly outcome: Outcome;
}

export interface ListedResource {
  readonly endpoint: string;
  /** The plural noun for its items. */
  readonly unit: string;
}

/** When the run and the pass of a page began to read (ms). */
export interface PageTimes {
  readonly runStartedAt: number;
  readonly passStartedAt: number;
}

/**
 * Saves each page with `save` before it requests the next one. After an error, the next run with the same `listing`
 * continues one page back. Without `listing`, or if no page was read, it throws the error.
 */
export const readListing = async <T extends Item, O>(
  context: RunContext<O>,
  resource: ListedResource,
  read: (progress: ListingProgress) => AsyncGenerator<Page<T>>,
  save: (items: readonly T[], times: PageTimes) => Promise<void>,
  listing = new ResumableListing(false),
): Promise<ListingResult> => {
  const { clock } = context;
  const pass = listing.begin(clock);
  const runStartedAt = clock.now();
  try {
    const summary = await readPass(context, resource, read(pass.progress), pass, async (items) =>
      save(items, { runStartedAt, passStartedAt: pass.startedAt }),
    );
    listing.end(summary, context.log);
    return endedResult(pass, summary, resource, clock);
  } catch (error) {
    const isContinued = listing.interrupt(clock, error);
    if (!(error instanceof ProviderError) || !isContinued) throw error;
    const { pages } = pass.progress;
    context.log.info({ pages }, 'the listing was interrupted; the next run continues it one page back');
    return interruptedResult(pass, error, clock);
  }
};

const readPass = async <T extends Item, O>(
  context: RunContext<O>,
  { endpoint, unit }: ListedResource,
  pages: AsyncGenerator<Page<T>>,
  pass: ListingPass,
  save: (items: readonly T[]) => Promise<void>,
): Promise<ListingSummary> => {
  const { seenIds } = pass.progress;
  for await (const page of pages) {
    await checkCustomer(context, endpoint, customersOf(page.items));
    // Saving says that the page was read, which is not true if none of its items could be.
    if (page.items.length > 0 || page.skipped === 0) await save(page.items);
    for (const id of page.skippedIds) pass.skippedIds.add(id);
    pass.total = page.totalCount < 0 ? undefined : page.totalCount;
    context.progress({ done: seenIds.size, total: pass.total, unit });
    // A listing without a single usable item does not count as read.
    if (page.summary && page.summary.skipped > 0 && pass.skippedIds.size === page.summary.distinctIds)
      throw unreadableError(endpoint, page.summary.skipped);
    if (page.summary) return page.summary;
  }
  throw new ProviderError('bad_response', endpoint, 'the listing ended without its last page');
};

const endedResult = (
  pass: ListingPass,
  summary: ListingSummary,
  { endpoint }: ListedResource,
  clock: Clock,
): ListingResult => {
  const { isComplete, isCounted, skipped } = summary;
  const outcome: Outcome = isCounted
    ? { skipped, failedParts: [], pass: { ms: elapsedMs(pass, clock), isComplete: true } }
    : { skipped, failedParts: [{ part: 'listing', error: movedError(endpoint, summary) }] };
  return { ...passFields(pass), isComplete, isCounted, outcome };
};

const interruptedResult = (pass: ListingPass, error: ProviderError, clock: Clock): ListingResult => {
  const { skipped } = pass.progress;
  const failedParts = [{ part: 'listing', error }];
  const time = { ms: estimatedMs(pass, clock), isComplete: false };
  return {
    ...passFields(pass),
    ...{ isComplete: false, isCounted: false },
    outcome: { skipped, failedParts, pass: time },
  };
};

const passFields = ({ progress: { seenIds }, skippedIds, startedAt, isResumed }: ListingPass) => ({
  ...{ seenIds, skippedIds, startedAt, isResumed },
});

const elapsedMs = ({ startedMonotonic }: ListingPass, clock: Clock): number =>
  Math.round(clock.monotonic() - startedMonotonic);

/** The longest estimate: a first pass that takes longer is reported as stale data. */
const LONGEST_ESTIMATE_MS = HOUR;

/** Estimates the duration of the pass from the share that was read; 0 if the provider does not count. */
const estimatedMs = (pass: ListingPass, clock: Clock): number => {
  const { total } = pass;
  const { size } = pass.progress.seenIds;
  return total === undefined || size === 0
    ? 0
    : Math.min(LONGEST_ESTIMATE_MS, Math.round((elapsedMs(pass, clock) * Math.max(total, size)) / size));
};

export const unreadableError = (endpoint: string, skipped: number): ProviderError =>
  new ProviderError('bad_response', endpoint, `none of ${skipped} items could be read`);

export const movedError = (endpoint: string, { distinctIds, totalCount }: ListingSummary): ProviderError =>
  new ProviderError(
    'bad_response',
    endpoint,
    `the listing changed while proxywatch read it: it has ${totalCount} items, and ${distinctIds} were seen`,
  );

const customersOf = (items: readonly Item[]): Set<number> => {
  const customers = new Set<number>();
  for (const { customerId } of items) if (customerId !== null) customers.add(customerId);
  return customers;
};

export interface ShortListing<T> {
  readonly items: readonly T[];
  readonly skipped: number;
  /**
   * Returns those of these ids that the listing lacks. An incomplete listing lacks none, because rows can move between
   * pages while they are read. An item that did not decode does not count as missing.
   */
  missingOf(ids: readonly string[]): string[];
}

/** Throws ProviderError. */
export const readShortListing = async <T extends { readonly id: string }>(
  pages: AsyncIterable<Page<T>>,
): Promise<ShortListing<T>> => {
  const itemsById = new Map<string, T>();
  const skippedIds = new Set<string>();
  let skipped = 0;
  let isComplete = false;
  for await (const page of pages) {
    for (const item of page.items) itemsById.set(item.id, item);
    for (const id of page.skippedIds) skippedIds.add(id);
    skipped += page.skipped;
    isComplete = page.summary?.isComplete ?? false;
  }
  return {
    items: [...itemsById.values()],
    skipped,
    missingOf: (ids) => (isComplete ? ids.filter((id) => !itemsById.has(id) && !skippedIds.has(id)) : []),
  };
};
