// Lists the requests of a window, to count them without filters, and its failed ones, or a random sample of them.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { PER_PAGE } from '../../provider/page-request.ts';
import {
  type LogClient,
  type LogFilter,
  type LogOptions,
  type LogRow,
  readLogRows,
  readRandomLogRows,
} from '../../provider/resources/request-log.ts';
import { type LogWindow, OTHER_TYPE, type RequestCount } from '../../store/request-log-store.ts';
import { classOfCode, requestCount } from './classes.ts';
import { type CodeGroup, groupOf } from './count-codes.ts';
import { isRefusal } from './count-window.ts';
import type { Sample } from './estimates.ts';

/** A window with more pages is not counted. */
export const MAX_PAGES = 50;

export interface ListedWindow {
  readonly counts: readonly RequestCount[];
  readonly rows: readonly LogRow[];
  readonly isComplete: boolean;
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
    if (summary) return summary.isCounted ? listed([...rows.values()], summary.isComplete) : undefined;
    if (pages === MAX_PAGES) return undefined;
  }
  return undefined;
};

const listed = (rows: readonly LogRow[], isComplete: boolean): ListedWindow => {
  const failed = rows.filter(({ code }) => classOfCode(code) !== undefined);
  const counts = [...Map.groupBy(rows, typeOf)].map(([type, ofType]) =>
    requestCount(type, ofType.length, groupsOf(ofType)),
  );
  return { counts, rows, isComplete, sample: { rows: failed, errors: failed.length } };
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

/** With one page, it would not show that the provider ignores the order. */
const MIN_RANDOM_PAGES = 2;

/** Returns undefined if the provider gives no such rows, or others, so that they show nothing. Throws ProviderError. */
export const readSample = async (
  client: LogClient,
  window: LogWindow,
  options: LogOptions,
  { errors, most }: { readonly errors: number; readonly most: number },
): Promise<Sample | undefined> => {
  const read = await readSome(client, { ...window, isFailed: true }, options, { total: errors, most });
  const rows = read.filter(
    (row) => classOfCode(row.code) !== undefined && (row.at === null || isIn(row, window)),
  );
  const isUsable = errors <= most ? rows.length === errors : rows.length > 0 && rows.length <= errors;
  return isUsable ? { rows, errors } : undefined;
};

/** Whether the row says that it is of the window. */
export const isIn = ({ at }: LogRow, { from, to }: LogWindow): boolean =>
  at !== null && at >= from && at < to;

/** Returns the matching rows, each once, or a random part of more than `most`; none if refused. Throws ProviderError. */
export const readSome = async (
  client: LogClient,
  filter: LogFilter,
  options: LogOptions,
  { total, most }: { readonly total: number; readonly most: number },
): Promise<LogRow[]> => {
  const reading =
    total <= most ? readAll(client, filter, options, total) : readRandom(client, filter, options, most);
  const rows = await reading.catch((error) => {
    if (!isRefusal(error)) throw error;
    return [];
  });
  return [...new Map(rows.map((row) => [row.id, row])).values()];
};

/** The provider draws other rows for each request. Returns none if it does not: then it ignores the order. */
const readRandom = async (
  client: LogClient,
  filter: LogFilter,
  options: LogOptions,
  most: number,
): Promise<LogRow[]> => {
  const pages = Math.max(MIN_RANDOM_PAGES, Math.ceil(most / PER_PAGE));
  const drawn: (readonly LogRow[])[] = [];
  for (let index = 0; index < pages; index += 1)
    drawn.push(await readRandomLogRows(client, filter, options, Math.ceil(most / pages)));
  const [first = '', second] = drawn.map((rows) => rows.map(({ id }) => id).join());
  return first === second ? [] : drawn.flat();
};

/** Stops behind `most` rows: a provider that ignores the filter would list all requests. */
const readAll = async (
  client: LogClient,
  filter: LogFilter,
  options: LogOptions,
  most: number,
): Promise<LogRow[]> => {
  const rows: LogRow[] = [];
  for await (const { items } of readLogRows(client, filter, options)) {
    rows.push(...items);
    if (rows.length > most) break;
  }
  return rows;
};
