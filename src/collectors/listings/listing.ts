// Reads a listing page by page into the store, over several runs if one is not enough, and reports its progress.

import type { Clock } from '../../lib/clock.ts';
import { HOUR } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { ListingEnd, ListingProgress, Page } from '../../provider/pages.ts';
import type { Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { checkCustomer } from '../customer.ts';
import { OpenListing, type Pass } from './open-listing.ts';

interface Item {
  readonly id: string;
  readonly customerId: number | null;
}

export interface ListingRead {
  /** Ids that were there, also those of items that did not decode. */
  readonly seen: ReadonlySet<string>;
  /** Those of items that did not decode. */
  readonly skippedIds: ReadonlySet<string>;
  /** When its first run began to read (ms). */
  readonly startedAt: number;
  /** Whether every row was seen and none moved meanwhile. */
  readonly isComplete: boolean;
  /** Whether every row was seen except those that changed meanwhile. */
  readonly isCounted: boolean;
  /** Whether it took several runs: then no row is treated as removed, because a missing one may have moved in between. */
  readonly isResumed: boolean;
  /** What the run came to. */
  readonly outcome: Outcome;
}

export interface Listed {
  readonly endpoint: string;
  /** What its items are, in the plural. */
  readonly unit: string;
}

/** When the run and the pass that a page is of began to read (ms). */
export interface PageTimes {
  readonly runStartedAt: number;
  readonly passStartedAt: number;
}

/**
 * Saves each page with `save` before it requests the next one. After an error the next run with the same `open` continues
 * one page back; without `open`, or if no page was read, it throws.
 */
export const readListing = async <T extends Item, O>(
  context: RunContext<O>,
  listed: Listed,
  read: (progress: ListingProgress) => AsyncGenerator<Page<T>>,
  save: (items: readonly T[], times: PageTimes) => Promise<void>,
  open = new OpenListing(false),
): Promise<ListingRead> => {
  const { clock } = context;
  const pass = open.begin(clock);
  const runStartedAt = clock.now();
  try {
    const end = await readPass(context, listed, read(pass.progress), pass, async (items) =>
      save(items, { runStartedAt, passStartedAt: pass.startedAt }),
    );
    open.end(end, context.log);
    return ended(pass, end, listed, clock);
  } catch (error) {
    const goesOn = open.breakOff(clock, error);
    if (!(error instanceof ProviderError) || !goesOn) throw error;
    const { pages } = pass.progress;
    context.log.info({ pages }, 'the listing was interrupted; the next run continues it one page back');
    return brokenOff(pass, error, clock);
  }
};

const readPass = async <T extends Item, O>(
  context: RunContext<O>,
  { endpoint, unit }: Listed,
  pages: AsyncGenerator<Page<T>>,
  pass: Pass,
  save: (items: readonly T[]) => Promise<void>,
): Promise<ListingEnd> => {
  const { seen } = pass.progress;
  for await (const page of pages) {
    await checkCustomer(context, endpoint, customersOf(page.items));
    await save(page.items);
    for (const id of page.skippedIds) pass.skippedIds.add(id);
    pass.total = page.totalCount < 0 ? undefined : page.totalCount;
    context.progress({ done: seen.size, total: pass.total, unit });
    // A listing without a single usable item does not count as read.
    if (page.end && page.end.skipped > 0 && pass.skippedIds.size === page.end.distinct)
      throw unreadable(endpoint, page.end.skipped);
    if (page.end) return page.end;
  }
  throw new ProviderError('bad_response', endpoint, 'the listing does not end');
};

const ended = (pass: Pass, end: ListingEnd, { endpoint }: Listed, clock: Clock): ListingRead => {
  const { complete: isComplete, isCounted, skipped } = end;
  const outcome: Outcome = isCounted
    ? { skipped, failedParts: [], pass: { ms: elapsed(pass, clock), isWhole: true } }
    : { skipped, failedParts: [{ part: 'listing', error: moved(endpoint, end) }] };
  return { ...readOf(pass), isComplete, isCounted, outcome };
};

const brokenOff = (pass: Pass, error: ProviderError, clock: Clock): ListingRead => {
  const { skipped } = pass.progress;
  const failedParts = [{ part: 'listing', error }];
  const time = { ms: estimated(pass, clock), isWhole: false };
  return {
    ...readOf(pass),
    ...{ isComplete: false, isCounted: false },
    outcome: { skipped, failedParts, pass: time },
  };
};

const readOf = ({ progress: { seen }, skippedIds, startedAt, isResumed }: Pass) => ({
  ...{ seen, skippedIds, startedAt, isResumed },
});

const elapsed = ({ beganAt }: Pass, clock: Clock): number => Math.round(clock.monotonic() - beganAt);

/** A first pass that takes longer is reported as stale data. */
const LONGEST_ESTIMATE_MS = HOUR;

/** From the share that was read; nothing where the provider does not count. */
const estimated = (pass: Pass, clock: Clock): number => {
  const { total } = pass;
  const { size } = pass.progress.seen;
  return total === undefined || size === 0
    ? 0
    : Math.min(LONGEST_ESTIMATE_MS, Math.round((elapsed(pass, clock) * Math.max(total, size)) / size));
};

const unreadable = (endpoint: string, skipped: number): ProviderError =>
  new ProviderError('bad_response', endpoint, `none of ${skipped} items could be read`);

const moved = (endpoint: string, { distinct, totalCount }: ListingEnd): ProviderError =>
  new ProviderError(
    'bad_response',
    endpoint,
    `the rows moved while they were read: ${distinct} of ${totalCount}`,
  );

const customersOf = (items: readonly Item[]): number[] =>
  items.flatMap(({ customerId }) => (customerId === null ? [] : [customerId]));
