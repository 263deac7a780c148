// Formats an invoice as text: a table for each part, and what is not known.

import type { Invoice } from '../http/api/invoice/invoice-json.ts';
import { MOST_LISTED } from '../http/api/invoice/unknown-part.ts';
import { dateRanges } from '../page/format.ts';
import { type Column, formatCount, formatDecimal, shownTime, tableLines } from './format.ts';

const text = (header: string): Column => ({ header });
const number = (header: string): Column => ({ header, isNumeric: true });
const SUMS = [number('added GB'), number('used GB'), number('requests')];

/** The text shows this many users. CSV and JSON have more. */
const SHOWN_USERS = 20;

export const invoiceReport = (invoice: Invoice): string => {
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
