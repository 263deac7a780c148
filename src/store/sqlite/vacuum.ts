// Gives what is free in the file back to the file system.

import type { Database } from './database.ts';
import type { Slice } from './slice.ts';

/** Pages moved at a time. */
const SLICE_PAGES = 500;
/** Free pages that are kept, at least and as a share of all: what a day deletes, the next one needs again. */
const KEPT_PAGES = 1_000;
const KEPT_SHARE = 0.1;

/** The pages given back; none in a file made by an older program, which uses again what is free in it. */
export const createVacuum = ({ sql }: Database): Slice => {
  const numberOf = (name: string): number => Number(sql.pragma(name, { simple: true }));
  return () => {
    const free = numberOf('freelist_count');
    const surplus = free - Math.max(KEPT_PAGES, KEPT_SHARE * numberOf('page_count'));
    if (surplus <= 0) return 0;
    sql.pragma(`incremental_vacuum(${SLICE_PAGES})`);
    return free - numberOf('freelist_count');
  };
};
