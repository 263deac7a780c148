// Counts and reads the rows of the request log (log/search), one for each request through a proxy. Of a row, only what shows
// failures is decoded, and the address of the client only on request.

import { z } from 'zod';
import { SECOND } from '../../lib/time.ts';
import type { ProviderClient } from '../client.ts';
import { NOT_COUNTED, type RawPage, requestPage } from '../page-request.ts';
import { type Page, readPages } from '../pages.ts';
import type { Query } from '../request.ts';
import { detectInvalid, integerOf, itemDecoder, textOf, textOrNumber, withoutInvalid } from '../schema.ts';
import { formatLocal, instantIn, type Range } from '../time.ts';

const ENDPOINT = 'log/search';

/** The code of a request that succeeded. */
export const SUCCESS_CODE = 200;

/** Rows of whole minutes. Undefined fields do not filter. */
export interface LogFilter extends Range {
  readonly productType?: string | undefined;
  readonly minCode?: number | undefined;
  readonly maxCode?: number | undefined;
  readonly isFailed?: boolean | undefined;
}

/** A value is null if the provider did not give it. */
export type LogRow = Readonly<NonNullable<ReturnType<typeof rowOf>>>;

export interface LogOptions {
  /** Zone of the provider's datetimes. */
  readonly timeZone: string;
  readonly signal: AbortSignal;
  /** Is called with the number of items that were left out, or lack a value because its type differed from the documented one. */
  readonly onSkipped?: ((items: number) => void) | undefined;
  /** Whether the addresses of clients are decoded. */
  readonly withClients?: boolean | undefined;
}

export type LogClient = Pick<ProviderClient, 'get'>;

/** Returns the number of rows; null if the provider does not count. Throws ProviderError. */
export const countLogRows = async (
  client: LogClient,
  filter: LogFilter,
  options: LogOptions,
): Promise<number | null> => {
  const { total_count: total } = await request(client, filter, options, { per_page: 1 });
  return total === NOT_COUNTED ? null : total;
};

/** Reads random rows, at most a page. Throws ProviderError. */
export const readRandomLogRows = async (
  client: LogClient,
  filter: LogFilter,
  options: LogOptions,
  most: number,
): Promise<readonly LogRow[]> => {
  const { data } = await request(client, filter, options, { sort_by: 'random', per_page: most });
  const items = data.map((item) => detectInvalid(() => rowOf(item, options)));
  options.onSkipped?.(
    items.filter(({ decoded, hasInvalidValue }) => decoded === null || hasInvalidValue).length,
  );
  return items.map(({ decoded }) => decoded).filter((row) => row !== null);
};

/** Reads all rows. Throws ProviderError. */
export async function* readLogRows(
  client: LogClient,
  filter: LogFilter,
  options: LogOptions,
): AsyncGenerator<Page<LogRow>, void, undefined> {
  const pages = readPages(client, ENDPOINT, {
    ...{ query: queryOf(filter, options.timeZone), idField: 'log_id', signal: options.signal },
    decode: (item) => rowOf(item, options),
  });
  for await (const page of pages) {
    options.onSkipped?.(page.skipped);
    yield page;
  }
}

const request = async (
  client: LogClient,
  filter: LogFilter,
  { timeZone, signal, onSkipped }: LogOptions,
  paging: Query,
): Promise<RawPage['value']> => {
  const page = await requestPage(client, ENDPOINT, { ...queryOf(filter, timeZone), ...paging }, signal);
  if (page.hasInvalidValue) onSkipped?.(1);
  return page.value;
};

/** Both bounds of a range of the provider are inclusive. */
const queryOf = ({ from, to, ...filter }: LogFilter, timeZone: string): Query => ({
  min_log_request_datetime: formatLocal(from, timeZone),
  max_log_request_datetime: formatLocal(to - SECOND, timeZone),
  log_network: filter.productType,
  min_log_status_code: filter.minCode,
  max_log_status_code: filter.maxCode,
  not_log_status_code: filter.isFailed ? SUCCESS_CODE : undefined,
});

const codeText = itemDecoder(textOrNumber.pipe(z.string().regex(/^\d{1,6}$/)).transform(Number));

const rowOf = (item: unknown, { timeZone, withClients }: LogOptions) => {
  if (typeof item !== 'object' || item === null) return null;
  const row = item as Readonly<Record<string, unknown>>;
  const { log_id: id, log_request_datetime: at, log_status_code: code } = row;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  return {
    id: String(id),
    at: (typeof at === 'string' ? instantIn(at, timeZone) : undefined) ?? withoutInvalid(at),
    productType: textOf(row.log_network),
    /** The provider's code, which has three or four digits. */
    code: codeText(code) ?? withoutInvalid(code),
    user: textOf(row.proxy_user_id),
    hostname: textOf(row.log_hostname),
    /** The address of the program that sent the request; null unless `withClients` is set. */
    client: withClients ? textOf(row.log_client_ip_address) : null,
    bytes: integerOf(row.log_total_bytes, 0),
  };
};
