// Serves GET /api/v1/ledger and /api/v1/mobile-ledger: balances with forecasts, sums by day, and the provider's rows.

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import {
  exhaustionTimeOf,
  hasAllRows,
  isExhausted,
  leftBytesOf,
  recentBalance,
} from '../../collectors/ledger/recent-balance.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import type {
  BalanceWithRates,
  LedgerDay,
  LedgerPosition,
  LedgerSummary,
  StoredLedgerRow,
} from '../../store/ledger-store.ts';
import type { AccountView, DaemonView } from '../daemon-view.ts';
import { forecast, forecastJson, forecastTimes } from './forecast.ts';
import { accountItemOf, type Compute, count, date, orNull, rfc3339, text } from './item.ts';
import { itemsOf, type ListAfter, listRoute, shortListRoute } from './list-route.ts';
import { addDays, checkDates, dateQuery, dateRangeOf } from './parameters.ts';
import { accountWithCollector, type QueryOf, revisionOfParts } from './route.ts';

export const balance = z
  .strictObject({
    added_bytes: count,
    used_bytes: count,
    left_bytes: count,
    ...forecastTimes,
    forecast,
  })
  .meta({ id: 'Balance' });

const balanceJson = (of: BalanceWithRates, completeAt: number) => ({
  added_bytes: of.addedBytes,
  used_bytes: of.usedBytes,
  left_bytes: leftBytesOf(of),
  ...forecastJson(of.rates, leftBytesOf(of), exhaustionTimeOf(of, completeAt), completeAt),
});

const knownAt = ({ listing, balance }: LedgerSummary): number | null =>
  balance && hasAllRows(listing) ? listing.completeAt : null;

interface JudgedLedger extends LedgerSummary {
  readonly isExhausted: boolean | null;
}

const EXHAUSTED = { residential: 'ResidentialBalanceExhausted', mobile: 'MobileBalanceExhausted' };

export const readLedger = async (
  type: MeteredType,
  { store, settings, clock }: Pick<AccountView, 'store' | 'settings' | 'clock'>,
): Promise<JudgedLedger> => {
  const summary = await store.ledgers[type].summary(settings.name);
  const options = settings[`${type}_ledger`];
  const recent = options
    ? await recentBalance(type, { account: settings, options, store, clock }, summary)
    : null;
  return {
    ...summary,
    isExhausted: recent ? isExhausted(recent, settings.thresholds[EXHAUSTED[type]] ?? 0) : null,
  };
};

export const { schema: ledger, json: ledgerJson } = accountItemOf<JudgedLedger>()('Ledger', (from) => ({
  complete_at: from(orNull.time.describe('Time of the newest complete listing'), ({ listing }) =>
    rfc3339(listing.completeAt),
  ),
  unread_rows: from(
    orNull.count.describe(
      'Number of rows that proxywatch could not decode. With such rows, the balance is null. The number is null before the first complete listing',
    ),
    ({ listing }) => (listing.completeAt === null ? null : listing.undecodedRows),
  ),
  balance: from(
    balance.nullable().describe('Null until proxywatch has read every row, and while the ledger has no rows'),
    (summary) => {
      const at = knownAt(summary);
      return at !== null && summary.balance ? balanceJson(summary.balance, at) : null;
    },
  ),
  is_exhausted: orNull.flag.describe(
    'Whether the condition of the alert `ResidentialBalanceExhausted` (`MobileBalanceExhausted`) holds. Null while the balance is null',
  ),
  services: from(z.array(balance.extend({ service_id: text })), (summary) => {
    const at = knownAt(summary);
    if (at === null) return [];
    return [...summary.services].map(([service_id, of]) => ({ ...balanceJson(of, at), service_id }));
  }),
  reasons: from(z.array(z.strictObject({ reason: text, entries: count })), ({ listing, reasons }) =>
    hasAllRows(listing) ? reasons.map(({ reason, entries }) => ({ reason, entries })) : [],
  ),
}));

export const { schema: day, json: dayJson } = accountItemOf<LedgerDay>()('LedgerDay', (from) => ({
  date: from(date.describe('Day in the account’s `time_zone`'), 'periodDate'),
  reason: text,
  service_id: orNull.text,
  added_bytes: count,
  used_bytes: count,
  requests: orNull.count,
  corrected_at: orNull.time.describe(
    'Newest time at which proxywatch saw that a row of the date had changed by 5% or more, or was new, more than three hours after the end of the day. Null if it saw no such change',
  ),
}));

/** How many days are summed up at a time; each day is a sum over all its rows. */
const SLICE_DAYS = 31;

const daysAfter =
  (type: MeteredType, view: DaemonView, query: QueryOf<typeof dateQuery>): ListAfter<LedgerDay> =>
  async (name, after, limit) => {
    const found = accountWithCollector(view, name, `${type}_ledger`);
    if (!found) return [];
    const { from, to } = dateRangeOf(query, found);
    const end = addDays(to, 1);
    const days: LedgerDay[] = [];
    const last = after?.slice(0, from.length) ?? '';
    // A client may have made up the cursor. From an early date, the loop would read each month since then.
    const first = Number.isNaN(Date.parse(last)) || last < from ? from : last;
    for (let start = first; start < end && days.length < limit; ) {
      const next = [addDays(start, SLICE_DAYS), end].sort()[0] ?? end;
      const slice = await found.store.ledgers[type].days(name, start, next);
      days.push(...slice.filter((day) => after === null || idOf(day) > after));
      start = next;
      await setImmediate();
    }
    return itemsOf(days, idOf)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  };

const idOf = ({ periodDate, reason, serviceId }: LedgerDay): string =>
  [periodDate, reason, serviceId ?? ''].join('\n');

const rowFields = (from: Compute<StoredLedgerRow>) => ({
  date: from(date.describe('Day in the account’s `time_zone`'), 'periodDate'),
  reason: text,
  service_id: orNull.text,
  service_adjustment_id: from(orNull.count, 'adjustmentId'),
  bytes: orNull.count.describe(
    'The provider’s value with its sign, or null until the next poll of the ledger',
  ),
  added_bytes: count.describe('Bytes that the row adds to the balance'),
  used_bytes: count.describe('Bytes that the row takes from the balance'),
  requests: orNull.count,
  created_at: orNull.time,
  updated_at: orNull.time,
});

const residentialRow = accountItemOf<StoredLedgerRow>()('LedgerRow', (from) => ({
  residential_ledger_id: from(text, 'id'),
  ...rowFields(from),
}));
export const { schema: row, json: rowJson } = residentialRow;

const mobileRow = accountItemOf<StoredLedgerRow>()('MobileLedgerRow', (from) => ({
  mobile_ledger_id: from(text, 'id'),
  ...rowFields(from),
}));

const rowsAfter =
  (type: MeteredType, view: DaemonView, query: QueryOf<typeof dateQuery>): ListAfter<StoredLedgerRow> =>
  async (name, after, limit) => {
    const found = accountWithCollector(view, name, `${type}_ledger`);
    if (!found) return [];
    const { from, to } = dateRangeOf(query, found);
    const position = after === null ? null : positionOf(after);
    return itemsOf(
      await found.store.ledgers[type].rows(name, from, addDays(to, 1), position, limit),
      rowIdOf,
    );
  };

const rowIdOf = ({ periodDate, id }: LedgerPosition): string => `${periodDate}\n${id}`;

const positionOf = (id: string): LedgerPosition => {
  const [periodDate = '', ...rest] = id.split('\n');
  return { periodDate, id: rest.join('\n') };
};

const ledgerRoutes = (type: MeteredType, root: string) => [
  shortListRoute({
    path: root,
    collector: `${type}_ledger`,
    summary: `${type === 'mobile' ? 'Mobile' : 'Residential'} balances and their forecasts`,
    query: {},
    item: ledger,
    revision: revisionOfParts(['ledgers']),
    items: async (view) => [await readLedger(type, view)],
    idOf: () => '',
    toJson: ledgerJson,
  }),
  listRoute({
    path: `${root}/days`,
    collector: `${type}_ledger`,
    summary: `Sums of the ${type} ledger by day, reason and service, oldest first`,
    query: dateQuery,
    item: day,
    revision: revisionOfParts(['ledgers'], DAY),
    check: checkDates,
    list: (view, query) => daysAfter(type, view, query),
    toJson: dayJson,
  }),
  listRoute({
    path: `${root}/rows`,
    collector: `${type}_ledger`,
    summary: `Rows of the ${type} ledger, oldest first`,
    query: dateQuery,
    item: type === 'mobile' ? mobileRow.schema : residentialRow.schema,
    revision: revisionOfParts(['ledgers'], DAY),
    check: checkDates,
    list: (view, query) => rowsAfter(type, view, query),
    toJson: type === 'mobile' ? mobileRow.json : residentialRow.json,
  }),
];

export const LEDGER_ROUTES = [
  ...ledgerRoutes('residential', '/api/v1/ledger'),
  ...ledgerRoutes('mobile', '/api/v1/mobile-ledger'),
];
