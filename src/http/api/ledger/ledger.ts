// GET /api/v1/ledger and /api/v1/ledger/days: residential balances with their forecasts, and sums of the ledger by day.

import { z } from 'zod';
import { exhaustionOf, isWhole, leftOf } from '../../../collectors/residential-ledger/balance.ts';
import { DAY } from '../../../lib/time.ts';
import type { LedgerDay, LedgerSummary, UsedBalance } from '../../../store/ledger-store.ts';
import { rfc3339 } from '../../rfc3339.ts';
import type { AccountView, View } from '../../view.ts';
import { type Dates, dateAfter, dateQuery, datesOf, refusalOf } from '../dates.ts';
import { account, count, date, text, time } from '../fields.ts';
import { forecast, forecastOf } from '../forecast.ts';
import { listRoute, whileOn } from '../list-route.ts';
import { type ListAfter, ofItems } from '../page.ts';
import { accountWith, partsOf } from '../route.ts';

export const balance = z
  .strictObject({
    added_bytes: count,
    used_bytes: count,
    left_bytes: count,
    exhausted_at: time.nullable().describe('Forecast; `forecast` says why there is none'),
    forecast,
  })
  .meta({ id: 'Balance' });

export const ledger = z
  .strictObject({
    account,
    complete_at: time.nullable().describe('When the newest complete listing was stored'),
    unread_rows: count
      .nullable()
      .describe('Rows that were not understood, without which no balance is right; null before that listing'),
    balance: balance.nullable().describe('Null until every row is known, and while there are none'),
    services: z.array(balance.extend({ service_id: text })),
    reasons: z.array(z.strictObject({ reason: text, entries: count })),
  })
  .meta({ id: 'Ledger' });

export const day = z
  .strictObject({
    account,
    date: date.describe('Of the provider’s zone'),
    reason: text,
    service_id: text.nullable(),
    added_bytes: count,
    used_bytes: count,
    requests: count.nullable(),
  })
  .meta({ id: 'LedgerDay' });

const balanceJson = (of: UsedBalance, completeAt: number) => {
  const exhaustedAt = exhaustionOf(of, completeAt);
  return {
    added_bytes: of.addedBytes,
    used_bytes: of.usedBytes,
    left_bytes: leftOf(of),
    exhausted_at: exhaustedAt === undefined ? null : rfc3339(Math.round(exhaustedAt)),
    forecast: forecastOf(of.rates, leftOf(of), exhaustedAt, completeAt),
  };
};

const ledgerJson = (account: string, { listing, reasons, balance, services }: LedgerSummary) => {
  const { completeAt } = listing;
  const isKnown = completeAt !== null && isWhole(listing) && balance;
  return {
    account,
    complete_at: rfc3339(completeAt),
    unread_rows: completeAt === null ? null : listing.unread,
    balance: isKnown ? balanceJson(balance, completeAt) : null,
    services: isKnown
      ? [...services].map(([service_id, of]) => ({ ...balanceJson(of, completeAt), service_id }))
      : [],
    reasons: isWhole(listing) ? reasons.map(({ reason, entries }) => ({ reason, entries })) : [],
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

/** Days summed up at a time: each is a sum over all of its rows. */
const SLICE_DAYS = 31;

const daysAfter =
  (view: View, dates: (found: AccountView) => Dates): ListAfter<LedgerDay> =>
  async (name, after, limit) => {
    const found = accountWith(view, name, 'residential_ledger');
    if (!found) return [];
    const { from, to } = dates(found);
    const end = dateAfter(to, 1);
    const rows: { id: string; item: LedgerDay }[] = [];
    const last = after?.slice(0, from.length) ?? '';
    // A cursor may be somebody's own making.
    const first = Number.isNaN(Date.parse(last)) ? from : last;
    for (let start = first; start < end && rows.length < limit; ) {
      const next = [dateAfter(start, SLICE_DAYS), end].sort()[0] ?? end;
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
    summary: 'Residential balances, and when they will be used up',
    query: {},
    item: ledger,
    revision: partsOf(['ledger']),
    list: (view) =>
      ofItems(
        whileOn(view, 'residential_ledger', async ({ store, settings }) => [
          await store.ledger.summary(settings.name),
        ]),
        () => '',
      ),
    toJson: ledgerJson,
  }),
  listRoute({
    path: '/api/v1/ledger/days',
    collector: 'residential_ledger',
    summary: 'The residential ledger summed up by day, reason and service',
    query: dateQuery,
    item: day,
    revision: partsOf(['ledger'], DAY),
    list: (view, query) => refusalOf(query) ?? daysAfter(view, (found) => datesOf(query, found)),
    toJson: dayJson,
  }),
];
