// Reads a listing page by page into the store, and tells whether it held still meanwhile.

import { ProviderError } from '../provider/errors.ts';
import type { Page } from '../provider/pages.ts';
import type { Outcome, RunContext } from './collector.ts';
import { checkCustomer } from './customer.ts';

interface Item {
  readonly id: string;
  readonly customerId: number | null;
}

export interface ListingRead {
  /** Ids that were there, also those of items that did not decode. */
  readonly seen: ReadonlySet<string>;
  /** Those of items that did not decode. */
  readonly skippedIds: ReadonlySet<string>;
  /** When the reading that stands began (ms). */
  readonly startedAt: number;
  /** False when rows moved while they were read, so that some may have been missed. */
  readonly isComplete: boolean;
  /** Items that did not decode. */
  readonly skipped: number;
  /** That it moved, for the run's outcome: what never holds still never has a baseline, and must be seen. */
  readonly failedParts: Outcome['failedParts'];
}

export interface Listed {
  readonly endpoint: string;
  /** What its items are, in the plural. */
  readonly unit: string;
}

/** A listing that moved while it was read is read once more; then the run ends with what it saw. */
const ATTEMPTS = 2;

/** Each page is saved by `save` before the next one is asked for. */
export const readListing = async <T extends Item, O>(
  context: RunContext<O>,
  { endpoint, unit }: Listed,
  read: () => AsyncGenerator<Page<T>>,
  save: (items: readonly T[], startedAt: number) => Promise<void>,
): Promise<ListingRead> => {
  const { clock, log } = context;
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = clock.now();
    const seen = new Set<string>();
    const skippedIds = new Set<string>();
    for await (const page of read()) {
      await checkCustomer(context, endpoint, customersOf(page.items));
      await save(page.items, startedAt);
      for (const { id } of page.items) seen.add(id);
      for (const id of page.skippedIds) skippedIds.add(id);
      const total = page.totalCount < 0 ? undefined : page.totalCount;
      context.progress({ done: seen.size, total, unit });
      if (!page.end) continue;
      for (const id of skippedIds) seen.add(id);
      const { complete, skipped, distinct, totalCount } = page.end;
      // What nothing could be read of was not read.
      if (skipped > 0 && skippedIds.size === distinct) throw unreadable(endpoint, skipped);
      if (complete || attempt === ATTEMPTS) {
        const failedParts = complete
          ? []
          : [{ part: 'listing', error: moved(endpoint, distinct, totalCount) }];
        return { seen, skippedIds, startedAt, isComplete: complete, skipped, failedParts };
      }
      log.info({ distinct, totalCount }, 'the listing moved while it was read; reading it again');
    }
  }
};

const unreadable = (endpoint: string, skipped: number): ProviderError =>
  new ProviderError('bad_response', endpoint, `none of ${skipped} items could be read`);

const moved = (endpoint: string, distinct: number, totalCount: number): ProviderError =>
  new ProviderError(
    'bad_response',
    endpoint,
    `the rows moved while they were read: ${distinct} of ${totalCount}`,
  );

const customersOf = (items: readonly Item[]): number[] =>
  items.flatMap(({ customerId }) => (customerId === null ? [] : [customerId]));
