// Reads a listing that is short enough to be read in one run and to be kept in memory.

import type { Page } from '../../provider/pages.ts';

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
