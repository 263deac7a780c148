// Counts the requests of a window by product type and code, without listing them, also while rows arrive, and checks that the
// provider applies the filters of the log: it could ignore one, and then all counts would be wrong.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { LogFilter } from '../../provider/resources/request-log.ts';
import { type LogWindow, OTHER_TYPE, type RequestCount } from '../../store/request-log-store.ts';
import { requestCount } from './classes.ts';
import { type CodeGroup, type Codes, countByGroup } from './count-codes.ts';

export interface Asked extends Partial<Codes> {
  readonly productType?: string | undefined;
}

export type AskWindow = (filter: Asked) => Promise<number>;

/** The groups of codes that were found of each product type, and with the key `''` of all rows; the newest last. */
export type FoundGroups = Map<string, Set<CodeGroup>>;

/** The most groups that are asked for first. A search by ranges needs about 11 requests for each other one. */
const MOST_LIKELY = 16;
/** A provider that ignores a filter counts the rows of all types for each. With one type, this would not show. */
const MIN_TYPES = 2;

export interface CountedRows {
  readonly counts: readonly RequestCount[];
  /** Whether the parts have more rows than there were: rows arrived meanwhile, or the provider ignores a filter. */
  readonly isExceeded: boolean;
}

/**
 * Counts the product types that have rows. The provider adds rows and removes none, so what is counted earlier is at most what
 * is counted later. Adds the groups of codes that it finds to `found`, and asks for those of the type and the newest first.
 */
export const countWindow = async (ask: AskWindow, found: FoundGroups): Promise<CountedRows> => {
  const total = await ask({});
  let totals = total === 0 ? new Map<string, number>() : await countByType(ask, total);
  const rest = total - sumOf(totals.values());
  const groupsOf = async (asked: Asked, rows: number) => {
    const type = asked.productType ?? '';
    const groups = await countByGroup(
      (codes) => ask({ ...asked, ...codes }),
      rows,
      likelyGroups(found, type),
    );
    const known = [...(found.get(type) ?? [])].filter((group) => !groups.has(group));
    found.set(type, new Set([...known, ...groups.keys()]));
    return groups;
  };
  const ofRest = rest > 0 ? await groupsOf({}, total) : new Map<CodeGroup, number>();
  // Rows of a type that arrived meanwhile must not count for the rest, so each code of all types is counted after it.
  const least = rest > 0 ? Number.POSITIVE_INFINITY : 0;
  if (rest > 0) totals = await countByType(ask, least);
  const counts: RequestCount[] = [];
  for (const [productType, rows] of totals) {
    const groups = await groupsOf({ productType }, Math.max(rows, least));
    counts.push(requestCount(productType, rows, groups));
    for (const [group, each] of groups) ofRest.set(group, (ofRest.get(group) ?? 0) - each);
  }
  if (rest > 0) counts.push(requestCount(OTHER_TYPE, rest, ofRest));
  return { counts, isExceeded: sumOf(counts.map(({ requests }) => requests)) > total };
};

/** Types mostly have the same codes as before, and as others. */
const likelyGroups = (found: FoundGroups, type: string): CodeGroup[] => {
  const newest = (groups: Iterable<CodeGroup>) => [...groups].reverse();
  const others = [...found.values()].flatMap(newest);
  return [...new Set([...newest(found.get(type) ?? []), ...others])].slice(0, MOST_LIKELY);
};

/** Asks for no more types when those before are all rows. */
const countByType = async (ask: AskWindow, total: number): Promise<Map<string, number>> => {
  const totals = new Map<string, number>();
  for (const [index, productType] of PRODUCT_TYPES.entries()) {
    if (index >= MIN_TYPES && sumOf(totals.values()) >= total) break;
    const rows = await ask({ productType });
    if (rows > 0) totals.set(productType, rows);
  }
  return totals;
};

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, each) => sum + each, 0);

const REFUSED: readonly unknown[] = [400, 422];

/** Whether the provider refuses a filter, an operator or an order that its documentation does not promise for the log. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ProviderError && REFUSED.includes(error.status);

/** No row has such a code. */
const [TOO_LOW, TOO_HIGH] = [1, 9_999_999];
const NO_TYPE = 'none';
/** No row is so old, or so far in the future. */
const OTHER_DAYS = 3_650;

/** Returns whether filters that no row matches count no rows, each of them alone. The window has rows. Throws ProviderError. */
export const areFiltersApplied = async (
  count: (filter: LogFilter) => Promise<number>,
  window: LogWindow,
): Promise<boolean> => {
  const moved = (days: number) => ({ from: window.from + days * DAY, to: window.to + days * DAY });
  const unmatched: LogFilter[] = [
    { ...window, minCode: TOO_HIGH },
    { ...window, maxCode: TOO_LOW },
    { ...window, productType: NO_TYPE },
    moved(OTHER_DAYS),
    moved(-OTHER_DAYS),
  ];
  for (const filter of unmatched) {
    // A provider that refuses such a value has read it.
    const rows = await count(filter).catch((error) => {
      if (!isRefusal(error)) throw error;
      return 0;
    });
    if (rows !== 0) return false;
  }
  return true;
};
