// Counts the requests of a window by product type and code, without listing them, also while rows arrive.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { OTHER_TYPE, type RequestCount } from '../../store/request-log-store.ts';
import { groupsOfCode, requestCount } from './classes.ts';
import { type CodeGroup, type Codes, countByGroup } from './count-codes.ts';

export interface Asked extends Partial<Codes> {
  readonly productType?: string | undefined;
}

/** Returns the number of rows of the window that match. */
export type AskWindow = (filter: Asked) => Promise<number>;

/** A product type or code that was seen before, so that it is asked for first. */
export interface Known {
  readonly productType: string;
  readonly class: string;
  readonly code: string;
}

/** A provider that ignores a filter counts the rows of all types for each. With one type, this would not show. */
const MIN_TYPES = 2;

export interface CountedRows {
  readonly counts: readonly RequestCount[];
  /** Whether the parts have more rows than there were: rows arrived meanwhile, or the provider ignores a filter. */
  readonly isExceeded: boolean;
}

/**
 * Counts the product types that have rows. The provider adds rows and removes none, so what is counted earlier is at most what
 * is counted later. Adds the groups of errors that it finds to `found`, and asks for those in it first.
 */
export const countWindow = async (
  ask: AskWindow,
  known: readonly Known[],
  found: Set<CodeGroup>,
): Promise<CountedRows> => {
  const total = await ask({});
  let totals = total === 0 ? new Map<string, number>() : await countByType(ask, total, known);
  const rest = total - sumOf(totals.values());
  // Types mostly have the same codes.
  const groupsOf = async (asked: Asked, rows: number, likely: readonly CodeGroup[]) => {
    const groups = await countByGroup((codes) => ask({ ...asked, ...codes }), rows, [...likely, ...found]);
    for (const group of groups.keys()) found.add(group);
    return groups;
  };
  const ofRest =
    rest > 0 ? await groupsOf({}, total, known.flatMap(groupsOfCode)) : new Map<CodeGroup, number>();
  // Rows of a type that arrived meanwhile must not count for the rest, so each code of all types is counted after it.
  const least = rest > 0 ? Number.POSITIVE_INFINITY : 0;
  if (rest > 0) totals = await countByType(ask, least, known);
  const counts: RequestCount[] = [];
  for (const [productType, rows] of totals) {
    const likely = known.filter((each) => each.productType === productType).flatMap(groupsOfCode);
    const groups = await groupsOf({ productType }, Math.max(rows, least), likely);
    counts.push(requestCount(productType, rows, groups));
    for (const [group, each] of groups) ofRest.set(group, (ofRest.get(group) ?? 0) - each);
  }
  if (rest > 0) counts.push(requestCount(OTHER_TYPE, rest, ofRest));
  return { counts, isExceeded: sumOf(counts.map(({ requests }) => requests)) > total };
};

/** Asks for types that were seen before, and for the others only if these are not all rows. */
const countByType = async (
  ask: AskWindow,
  total: number,
  known: readonly Known[],
): Promise<Map<string, number>> => {
  const seen = new Set(known.map(({ productType }) => productType));
  const types = [...PRODUCT_TYPES].sort((a, b) => Number(seen.has(b)) - Number(seen.has(a)));
  const totals = new Map<string, number>();
  for (const [index, productType] of types.entries()) {
    const isComplete = sumOf(totals.values()) >= total;
    if (index >= MIN_TYPES && isComplete && !seen.has(productType)) break;
    const rows = await ask({ productType });
    if (rows > 0) totals.set(productType, rows);
  }
  return totals;
};

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, each) => sum + each, 0);
