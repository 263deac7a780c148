// Counts the requests of a window by listing them, for a provider that does not count them by filters.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { PER_PAGE } from '../../provider/page-request.ts';
import {
  type LogClient,
  type LogOptions,
  type LogRow,
  readLogRows,
} from '../../provider/resources/request-log.ts';
import { type LogWindow, OTHER_TYPE, type RequestCount } from '../../store/request-log-store.ts';
import { classOfCode, requestCount } from './classes.ts';
import { type CodeGroup, groupOf } from './count-codes.ts';
import type { Sample } from './estimates.ts';

/** A window with more pages is not counted. */
export const MAX_PAGES = 50;

export interface ListedWindow {
  readonly counts: readonly RequestCount[];
  readonly sample: Sample;
}

/**
 * Returns undefined if the window has more pages than may be read, if rows moved between them, or if some rows are of another
 * time, because the provider ignores the filter. Throws ProviderError.
 */
export const listWindow = async (
  client: LogClient,
  window: LogWindow,
  options: LogOptions,
): Promise<ListedWindow | undefined> => {
  const rows = new Map<string, LogRow>();
  let pages = 0;
  for await (const { items, totalCount, skippedIds, summary } of readLogRows(client, window, options)) {
    pages += 1;
    if (skippedIds.length > 0 || totalCount > MAX_PAGES * PER_PAGE) return undefined;
    for (const row of items) {
      if (row.at === null || row.at < window.from || row.at >= window.to) return undefined;
      rows.set(row.id, row);
    }
    if (summary) return summary.isCounted ? listed([...rows.values()]) : undefined;
    if (pages === MAX_PAGES) return undefined;
  }
  return undefined;
};

const listed = (rows: readonly LogRow[]): ListedWindow => {
  const failed = rows.filter(({ code }) => classOfCode(code) !== undefined);
  const counts = [...Map.groupBy(rows, typeOf)].map(([type, ofType]) =>
    requestCount(type, ofType.length, groupsOf(ofType)),
  );
  return { counts, sample: { rows: failed, errors: failed.length } };
};

const typeOf = ({ productType }: LogRow): string =>
  PRODUCT_TYPES.find((type) => type === productType) ?? OTHER_TYPE;

const groupsOf = (rows: readonly LogRow[]): Map<CodeGroup, number> => {
  const groups = new Map<CodeGroup, number>();
  for (const { code } of rows) {
    const group = code === null ? undefined : groupOf(code);
    if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  return groups;
};
