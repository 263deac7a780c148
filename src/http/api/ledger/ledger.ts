// Serves GET /api/v1/ledger and /api/v1/ledger/days: residential balances with forecasts, and sums of the ledger by day.

import { z } from 'zod';
import {
  exhaustionTimeOf,
  hasAllRows,
  leftBytesOf,
} from '../../../collectors/residential-ledger/recent-balance.ts';
import { DAY } from '../../../lib/time.ts';
import type { BalanceWithRates, LedgerDay, LedgerSummary } from '../../../store/ledger-store.ts';
import type { AccountView, DaemonView } from '../../daemon-view.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { addDays, type DateRange, dateQuery, dateRangeError, dateRangeOf } from '../dates.ts';
import { account, count, date, text, time } from '../fields.ts';
import { forecast, forecastOf, forecastRangeJson, forecastRangeOf } from '../forecast.ts';
import { listRoute, whenEnabled } from '../list-route.ts';
import { fromItems, type ListAfter } from '../page.ts';
import { accountWithCollector, revisionOfParts } from '../route.ts';

export const balance = z
  .strictObject({
    added_bytes: count,
    used_bytes: count,
    left_bytes: count,
    exhausted_at: time
      .nullable()
      .describe('Time of the forecast. `forecast` has the reason if the time is null'),
    ...forecastRangeJson,
    forecast,
  })
  .meta({ id: 'Balance' });

export const ledger = z
  .strictObject({
    account,
    complete_at: time.nullable().describe('Time of the newest complete listing'),
    unread_rows: count
      .nullable()
      .describe(
        'Number of rows that proxywatch could not decode. With such rows, the balance is null. The number is null before the first complete listing',
      ),
    balance: balance
      .nullable()
      .describe('Null until proxywatch has read every row, and while the ledger has no rows'),
    services: z.array(balance.extend({ service_id: text })),
    reasons: z.array(z.strictObject({ reason: text, entries: count })),
  })
  .meta({ id: 'Ledger' });

export const day = z
  .strictObject({
    account,
    date: date.describe('Day in the account’s `time_zone`'),
    reason: text,
    service_id: text.nullable(),
    added_bytes: count,
    used_bytes: count,
    requests: count.nullable(),
  })
  .meta({ id: 'LedgerDay' });

const balanceJson = (of: BalanceWithRates, completeAt: number) => {
  const exhaustedAt = exhaustionTimeOf(of, completeAt);
  return {
    added_bytes: of.addedBytes,
    used_bytes: of.usedBytes,
    left_bytes: leftBytesOf(of),
    exhausted_at: exhaustedAt === undefined ? null : rfc3339(Math.round(exhaustedAt)),
    ...forecastRangeOf(of.rates, leftBytesOf(of), completeAt),
    forecast: forecastOf(of.rates, leftBytesOf(of), exhaustedAt, completeAt),
  };
};

const ledgerJson = (account: string, { listing, reasons, balance, services }: LedgerSummary) => {
  const { completeAt } = listing;
  const isKnown = completeAt !== null && hasAllRows(listing) && balance;
  return {
    account,
    complete_at: rfc3339(completeAt),
    unread_rows: completeAt === null ? null : listing.undecodedRows,
    balance: isKnown ? balanceJson(balance, completeAt) : null,
    services: isKnown
      ? [...services].map(([service_id, of]) => ({ ...balanceJson(of, completeAt), service_id }))
      : [],
    reasons: hasAllRows(listing) ? reasons.map(({ reason, entries }) => ({ reason, entries })) : [],
  };
};

const dayJson = (account: string, { periodDate, reason, serviceId, ...sums }: LedgerDay) => ({
  account,
  date: periodDate,
  reason,
  service_id: serviceId,
  added_bytes: sums.addedBytes,
  used_bytes: sums.usedBytes,
  requests: sums.requests,
});

/** How many days are summed up at a time; each day is a sum over all its rows. */
const SLICE_DAYS = 31;

const daysAfter =
  (view: DaemonView, dates: (found: AccountView) => DateRange): ListAfter<LedgerDay> =>
  async (name, after, limit) => {
    const found = accountWithCollector(view, name, 'residential_ledger');
    if (!found) return [];
    const { from, to } = dates(found);
    const end = addDays(to, 1);
    const rows: { id: string; item: LedgerDay }[] = [];
    const last = after?.slice(0, from.length) ?? '';
    // A client may have made up the cursor. From an early date, the loop would read each month since then.
    const first = Number.isNaN(Date.parse(last)) || last < from ? from : last;
    for (let start = first; start < end && rows.length < limit; ) {
      const next = [addDays(start, SLICE_DAYS), end].sort()[0] ?? end;
      const slice = await found.store.ledger.days(name, start, next);
      rows.push(
        ...slice.map((item) => ({ id: idOf(item), item })).filter(({ id }) => after === null || id > after),
      );
      start = next;
      await new Promise(setImmediate);
    }
    const inOrder = rows.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit);
    return inOrder.map(({ id, item }) => ({ id, read: async () => item }));
  };

const idOf = ({ periodDate, reason, serviceId }: LedgerDay): string =>
  [periodDate, reason, serviceId ?? ''].join('\n');

export const LEDGER_ROUTES = [
  listRoute({
    path: '/api/v1/ledger',
    collector: 'residential_ledger',
    summary: 'Residential balances and their forecasts',
    query: {},
    item: ledger,
    revision: revisionOfParts(['ledger']),
    list: (view) =>
      fromItems(
        whenEnabled(view, 'residential_ledger', async ({ store, settings }) => [
          await store.ledger.summary(settings.name),
        ]),
        () => '',
      ),
    toJson: ledgerJson,
  }),
  listRoute({
    path: '/api/v1/ledger/days',
    collector: 'residential_ledger',
    summary: 'Sums of the residential ledger by day, reason and service, oldest first',
    query: dateQuery,
    item: day,
    revision: revisionOfParts(['ledger'], DAY),
    list: (view, query) => dateRangeError(query) ?? daysAfter(view, (found) => dateRangeOf(query, found)),
    toJson: dayJson,
  }),
];
