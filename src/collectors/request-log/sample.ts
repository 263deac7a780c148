// Reads a sample of the failed requests of a window: all of them, or random ones, or the newest ones.

import { PER_PAGE } from '../../provider/page-request.ts';
import {
  type LogClient,
  type LogFilter,
  type LogOptions,
  type LogRow,
  readLogPage,
  readLogRows,
} from '../../provider/resources/request-log.ts';
import type { LogWindow } from '../../store/request-log-store.ts';
import { classOfCode } from './classes.ts';
import type { Sample } from './estimates.ts';
import { isRefusal } from './refusal.ts';

/** With one page, it would not show that the provider ignores the order. */
const MIN_RANDOM_PAGES = 2;

type Read = (sortBy: string, page: number) => Promise<readonly LogRow[]>;

/** Returns undefined if the rows are not those that were requested, so that they show nothing. Throws ProviderError. */
export const readSample = async (
  client: LogClient,
  window: LogWindow,
  options: LogOptions,
  { errors, most }: { readonly errors: number; readonly most: number },
): Promise<Sample | undefined> => {
  const filter = { ...window, isFailed: true };
  const pages = Math.max(MIN_RANDOM_PAGES, Math.ceil(most / PER_PAGE));
  const perPage = Math.ceil(most / pages);
  const read: Read = (sortBy, page) => readLogPage(client, filter, options, { sortBy, page, perPage });
  const isWhole = errors <= most;
  const random = isWhole ? undefined : await unlessRefused(readRandom(read, pages));
  const rows =
    random ??
    (await unlessRefused(isWhole ? readAll(client, filter, options, errors) : readNewest(read, pages)));
  const distinct = [...new Map(rows?.map((row) => [row.id, row])).values()].filter((row) =>
    isFailed(row, window),
  );
  const isUsable = isWhole ? distinct.length === errors : distinct.length > 0 && distinct.length <= errors;
  return isUsable ? { rows: distinct, errors, isRandom: random !== undefined } : undefined;
};

const isFailed = ({ at, code }: LogRow, { from, to }: LogWindow): boolean =>
  classOfCode(code) !== undefined && (at === null || (at >= from && at < to));

/** The provider draws other rows for each request. Returns undefined if it does not: then it ignores this order. */
const readRandom = async (read: Read, pages: number): Promise<LogRow[] | undefined> => {
  const drawn: (readonly LogRow[])[] = [];
  for (let index = 0; index < pages; index += 1) drawn.push(await read('random', 1));
  const [first = '', second] = drawn.map((rows) => rows.map(({ id }) => id).join());
  return first === second ? undefined : drawn.flat();
};

const readNewest = async (read: Read, pages: number): Promise<LogRow[]> => {
  const rows: LogRow[] = [];
  for (let page = 1; page <= pages; page += 1) rows.push(...(await read('log_request_datetime_desc', page)));
  return rows;
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

/** Rejects with an error that is no refusal of the order or of the filter. */
const unlessRefused = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
};
