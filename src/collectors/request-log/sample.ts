// Reads a sample of the failed requests of a window: all of them, or random ones.

import { PER_PAGE } from '../../provider/page-request.ts';
import {
  type LogClient,
  type LogFilter,
  type LogOptions,
  type LogRow,
  readLogRows,
  readRandomLogRows,
} from '../../provider/resources/request-log.ts';
import type { LogWindow } from '../../store/request-log-store.ts';
import { isRefusal } from './check-filters.ts';
import { classOfCode } from './classes.ts';
import type { Sample } from './estimates.ts';

/** With one page, it would not show that the provider ignores the order. */
const MIN_RANDOM_PAGES = 2;

/** Returns undefined if the provider gives no such rows, or others, so that they show nothing. Throws ProviderError. */
export const readSample = async (
  client: LogClient,
  window: LogWindow,
  options: LogOptions,
  { errors, most }: { readonly errors: number; readonly most: number },
): Promise<Sample | undefined> => {
  const filter = { ...window, isFailed: true };
  const isWhole = errors <= most;
  const reading = isWhole
    ? readAll(client, filter, options, errors)
    : readRandom(client, filter, options, most);
  const rows = await reading.catch((error) => {
    if (!isRefusal(error)) throw error;
    return [];
  });
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()].filter((row) =>
    isFailed(row, window),
  );
  const isUsable = isWhole ? distinct.length === errors : distinct.length > 0 && distinct.length <= errors;
  return isUsable ? { rows: distinct, errors } : undefined;
};

const isFailed = ({ at, code }: LogRow, { from, to }: LogWindow): boolean =>
  classOfCode(code) !== undefined && (at === null || (at >= from && at < to));

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
