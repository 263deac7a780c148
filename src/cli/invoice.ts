// proxywatch invoice: prints what the store knows of a month, and does not know, to compare it with an invoice.

import { closestMatch } from '../config/closest-match.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { accountSettings, type Settings } from '../daemon/settings.ts';
import { readInvoice } from '../http/api/invoice/invoice.ts';
import { type Invoice, MOST_LISTED } from '../http/api/invoice/invoice-json.ts';
import { invoiceLine, linesOf } from '../http/api/invoice/invoice-lines.ts';
import { csvOf } from '../http/api/lists/csv-answer.ts';
import { systemClock } from '../lib/clock.ts';
import { dateRanges } from '../page/format.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { type Column, formatCount, formatDecimal, number, shownTime, tableLines, text } from './format.ts';
import { type ShardOption, shardText, withShard } from './options.ts';

const SUMS = [number('added GB'), number('used GB'), number('requests')];

/** The text shows this many users. CSV and JSON have more. */
const SHOWN_USERS = 20;

const invoiceReport = (invoice: Invoice): string => {
  const { account, month, time_zone, is_over } = invoice;
  return [
    `account ${account}: ${month}, days of ${time_zone}, 1 GB is 1,000,000,000 bytes`,
    ...(is_over ? [] : ['The month is not over. All numbers are those so far.']),
    ...section(ledgerTitle(invoice), [text('reason'), ...SUMS], reasonRows(invoice)),
    ...section(
      'residential ledger by service',
      [text('service'), text('reason'), ...SUMS],
      invoice.ledger_services.map((each) => [serviceOf(each), each.reason, ...sumsOf(each)]),
    ),
    ...section('rows of the ledger that came or changed after the month', LATE_COLUMNS, lateRows(invoice)),
    ...section('mobile ledger', SUMS.slice(0, 2), mobileRows(invoice)),
    ...userSection(invoice),
    ...section('services', SERVICE_COLUMNS, serviceRows(invoice)),
    ...section('sources of each day', PAIR_COLUMNS, pairRows(invoice)),
    ...section('days that do not add up', DIFFERENCE_COLUMNS, differenceRows(invoice)),
    '',
    'unknown',
    ...invoice.unknown.map(
      ({ part, message, dates }) =>
        `  ${part}: ${printable(message)}${dates.length > 0 ? `: ${dateRanges(dates)}` : ''}`,
    ),
    '',
  ].join('\n');
};

const section = (
  title: string,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] =>
  rows.length === 0 ? [] : ['', title, ...tableLines(columns, rows).map((line) => `  ${printable(line)}`)];

/** Ids and reasons come from the provider, and could control the terminal. */
const printable = (line: string): string => line.replaceAll(/\p{C}/gu, ' ');

const ledgerTitle = ({ ledger_read_at }: Invoice): string =>
  `residential ledger${ledger_read_at === null ? '' : `, as read at ${shownTime(ledger_read_at)}`}`;

type Sums = Pick<Invoice['reasons'][number], 'added_bytes' | 'used_bytes' | 'requests'>;

const sumsOf = ({ added_bytes, used_bytes, requests }: Sums): string[] => [
  ...[added_bytes, used_bytes].map(gigabytes),
  requests === null ? '-' : formatCount(requests),
];

const reasonRows = ({ reasons, added_bytes, used_bytes }: Invoice): string[][] => [
  ...reasons.map((each) => [each.reason, ...sumsOf(each)]),
  ['total', gigabytes(added_bytes), gigabytes(used_bytes), ''],
];

const mobileRows = ({ mobile_added_bytes: added, mobile_used_bytes: used }: Invoice): string[][] =>
  added === null ? [] : [[gigabytes(added), gigabytes(used)]];

const serviceOf = ({ service_id }: { readonly service_id: string | null }): string =>
  service_id ?? 'whole account';

const LATE_COLUMNS = [text('date'), text('reason'), text('service'), ...SUMS, text('changed')];

const lateRows = ({ late_rows }: Invoice): string[][] =>
  late_rows.map((row) => [
    ...[row.date, row.reason, serviceOf(row), ...sumsOf(row)],
    shownTime(row.updated_at ?? row.created_at ?? ''),
  ]);

const userSection = ({ use, users }: Invoice): string[] => {
  if (!use) return [];
  const { counted_since: since, counted_until: until } = use;
  const others =
    users.length < MOST_LISTED
      ? `${users.length - SHOWN_USERS} more users: --format csv`
      : `more users: --format csv has the first ${formatCount(MOST_LISTED)} of them`;
  const counted = since && until ? `, counted from ${shownTime(since)} to ${shownTime(until)}` : '';
  const rows = users
    .slice(0, SHOWN_USERS)
    .map(({ proxy_user_id, bytes }) => [
      ...[proxy_user_id, gigabytes(bytes.residential), gigabytes(bytes.mobile)],
    ]);
  const total = [
    'all users',
    gigabytes(use.bytes?.residential ?? null),
    gigabytes(use.bytes?.mobile ?? null),
  ];
  const columns = [text('user'), number('residential GB'), number('mobile GB')];
  return [
    ...section(`use of proxy users${counted}`, columns, [...rows, total]),
    ...(users.length > SHOWN_USERS ? [`  ${others}`] : []),
  ];
};

const SERVICE_COLUMNS = [text('service'), text('type'), number('quantity'), text('cycle'), number('price')];

const serviceRows = ({ services }: Invoice): string[][] =>
  services.map(({ service_id, product_type, quantity, cycle, price, currency }) => [
    ...[service_id, product_type ?? 'unknown', quantity === null ? '-' : formatCount(quantity)],
    ...[cycle ?? 'unknown', price === null ? 'unknown' : `${formatDecimal(price / 100, 2)} ${currency}`],
  ]);

const PAIR_COLUMNS = [text('pair'), number('ok'), number('DIFFERS'), number('unknown')];

const pairRows = ({ pairs }: Invoice): string[][] =>
  pairs.map(({ pair, ok_days, differing_days, unknown_days }) => [
    ...[pair, ...[ok_days, differing_days, unknown_days].map(formatCount)],
  ]);

const DIFFERENCE_COLUMNS = [text('day'), text('pair'), number('difference GB'), number('unexplained GB')];

const differenceRows = ({ differences }: Invoice): string[][] =>
  differences.map(({ date, pair, difference_bytes, unexplained_bytes }) => [
    ...[date, pair, gigabytes(difference_bytes), gigabytes(unexplained_bytes)],
  ]);

const gigabytes = (bytes: number | null): string =>
  bytes === null ? 'unknown' : formatDecimal(bytes / 1e9, 3);

export interface InvoiceOptions extends ShardOption {
  readonly config: string;
  /** `YYYY-MM`; the newest month that is over if not given. */
  readonly month?: string;
  readonly account?: string;
  readonly format: 'text' | 'csv' | 'json';
}

/**
 * Returns 1 if sources of a day differ, and 2 if a polled ledger was not read, or not all its rows, some hours after the end
 * of the month. It may run while the daemon runs: it sends no request, and writes nothing. Throws ConfigError and
 * StoreError.
 */
export const invoice = async (
  { env, stdout, stderr }: CommandContext,
  { config, month, account, format, ...option }: InvoiceOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, withShard(env, option));
  const accounts = settings.accounts.filter(({ name }) => account === undefined || name === account);
  if (accounts.length === 0) {
    stderr.write(`error: ${whyNone(settings, account)}\n`);
    return 1;
  }
  using store = openSqliteStoreReadOnly(settings.store.path);
  // The store is read once, so nothing needs to be cached.
  const view = { revision: () => '' };
  const invoices: Invoice[] = [];
  for (const each of accounts) {
    const found = { settings: accountSettings(each, settings), store, clock: systemClock };
    invoices.push(await readInvoice(view, found, month));
  }
  stdout.write(WRITERS[format](invoices));
  if (invoices.some(({ differences }) => differences.length > 0)) return 1;
  return invoices.every((invoice) => invoice.ledgers_complete) ? 0 : 2;
};

const WRITERS: Readonly<Record<InvoiceOptions['format'], (invoices: readonly Invoice[]) => string>> = {
  text: (invoices) => invoices.map(invoiceReport).join('\n'),
  csv: (invoices) => {
    const csv = csvOf(invoiceLine);
    return csv.header + csv.linesOf(invoices.flatMap(linesOf));
  },
  json: (invoices) => `${JSON.stringify(invoices, null, 2)}\n`,
};

export const whyNone = (settings: Settings, account: string | undefined): string => {
  const names = settings.accounts.map(({ name }) => name);
  if (account === undefined || names.length === 0) return shardText(settings) ?? 'there are no accounts';
  const meant = closestMatch(account, names);
  const hint = meant === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${meant}?`;
  return `--account: there is no account ${account}; ${hint}`;
};
