// Returns free pages of the file to the file system.

import type { Slice } from '../slices.ts';
import type { Database } from './database.ts';

/** Pages moved in one slice. */
const SLICE_PAGES = 500;
/**
 * Free pages that are kept, at least and as a share of all, because tomorrow's rows need what today's deletions free.
 */
const MIN_FREE_PAGES = 1_000;
const MIN_FREE_SHARE = 0.1;

export interface Vacuum {
  /** Returns the number of pages to release; 0 or less if there are none. */
  excessPages(): number;
  /** Returns the number of pages released. A file of an older program releases none and reuses its free pages. */
  readonly slice: Slice;
}

export const createVacuum = ({ sql }: Database): Vacuum => {
  const numberOf = (name: string): number => Number(sql.pragma(name, { simple: true }));
  const excessPages = (): number => {
    const [free, pages] = [numberOf('freelist_count'), numberOf('page_count')];
    // Pages are released until the free ones are at most the share of the file's remaining size.
    return Math.min(free - MIN_FREE_PAGES, (free - MIN_FREE_SHARE * pages) / (1 - MIN_FREE_SHARE));
  };
  const slice = (): number => {
    if (excessPages() <= 0) return 0;
    const free = numberOf('freelist_count');
    sql.pragma(`incremental_vacuum(${SLICE_PAGES})`);
    return free - numberOf('freelist_count');
  };
  return { excessPages, slice };
};
