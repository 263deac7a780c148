// Gives what is free in the file back to the file system.

import type { Slice } from '../slices.ts';
import type { Database } from './database.ts';

/** Pages moved at a time. */
const SLICE_PAGES = 500;
/** Free pages that are kept, at least and as a share of all: what a day deletes, the next one needs again. */
const KEPT_PAGES = 1_000;
const KEPT_SHARE = 0.1;

export interface Vacuum {
  /** Pages to be given back; 0 or less when there are none. */
  surplus(): number;
  /** The pages given back; none in a file made by an older program, which uses again what is free in it. */
  readonly slice: Slice;
}

export const createVacuum = ({ sql }: Database): Vacuum => {
  const numberOf = (name: string): number => Number(sql.pragma(name, { simple: true }));
  const surplus = (): number => {
    const [free, pages] = [numberOf('freelist_count'), numberOf('page_count')];
    // The smaller the file has become, the smaller is the share of it.
    return Math.min(free - KEPT_PAGES, (free - KEPT_SHARE * pages) / (1 - KEPT_SHARE));
  };
  const slice = (): number => {
    if (surplus() <= 0) return 0;
    const free = numberOf('freelist_count');
    sql.pragma(`incremental_vacuum(${SLICE_PAGES})`);
    return free - numberOf('freelist_count');
  };
  return { surplus, slice };
};
