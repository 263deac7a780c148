// Counts the requests of a window by product type and code, without listing them, also while rows arrive.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { OTHER_TYPE, type RequestCount } from '../../store/request-log-store.ts';
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
