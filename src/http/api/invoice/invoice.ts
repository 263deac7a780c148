// Serves GET /api/v1/accounts/{account}/invoice, and reads for the command of the same name: what the store knows of a month,
// to compare it with an invoice of the provider.

import { comparedPairs } from '../../../collectors/reconciliation/compare.ts';
import { differs } from '../../../collectors/reconciliation/explain.ts';
import { METERED_TYPES } from '../../../lib/product-types.ts';
import { HOUR } from '../../../lib/time.ts';
import type { ReconciledDay } from '../../../store/reconciliation-store.ts';
import type { StoredService } from '../../../store/service-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import { rfc3339 } from '../item.ts';
import { rowJson } from '../ledger.ts';
import * as parameters from '../parameters.ts';
import { dayJson } from '../reconciliation.ts';
import { ApiError, revisionOfParts, route } from '../route.ts';
import { readServices, serviceJson } from '../services.ts';
import { largestUsers, type Revised, rankAccount } from '../users/user-ranking.ts';
import { type Invoice, invoice } from './invoice-json.ts';
import { invoiceLine, linesOf } from './invoice-lines.ts';
import { readLedgerMonth } from './ledger-month.ts';
import { datesUntil, lastMonth, MONTH_NAME, type Month, monthOf } from './month.ts';
import {
  unknownLedger,
  unknownMobile,
  unknownPairs,
  unknownServices,
  unknownUsers,
} from './unknown-parts.ts';

export type InvoicedAccount = Pick<AccountView, 'settings' | 'store' | 'clock'>;

/** As many users as a ranking has. */
const USERS = 1_000;

/** Reads the month of an account; `name` is `YYYY-MM`, by default the newest month that is over. Throws StoreError. */
export const readInvoice = async (view: Revised, found: InvoicedAccount, name?: string): Promise<Invoice> => {
  const { settings, clock } = found;
  const { name: account, time_zone: zone, currency } = settings;
  const now = clock.now();
  const month = monthOf(name ?? lastMonth(zone, now), zone);
  const [ledger, use, services, compared] = [
    await ledgerOf(found, month),
    await useOf(view, found, month, now),
    await servicesOf(found, month),
    await comparedOf(found, month, now),
  ];
  return {
    ...{ account, month: month.name, time_zone: zone, currency },
    ...{ from: rfc3339(month.from), to: rfc3339(month.to), is_over: month.to <= now },
    ...ledger.json,
    ...use.json,
    ...services.json,
    ...compared.json,
    unknown: [ledger, use, services, compared].flatMap(({ unknown }) => unknown).concat(unknownMobile),
  };
};

const NO_LEDGER = {
  ...{ ledger_read_at: null, ledger_read_after_end: false, added_bytes: null, used_bytes: null },
  ...{ reasons: [], ledger_services: [], late_rows: [] },
};

const ledgerOf = async ({ settings, store }: InvoicedAccount, month: Month) => {
  const { name, time_zone: zone } = settings;
  const listing = settings.residential_ledger ? (await store.ledger.summary(name)).listing : undefined;
  const { completeAt = null, completeStartedAt } = listing ?? {};
  if (completeAt === null) return { json: NO_LEDGER, unknown: unknownLedger(listing, 0, zone, month) };
  const { reasons, services, lateRows, untimedRows } = await readLedgerMonth(store, name, zone, month);
  const sum = (bytes: 'added_bytes' | 'used_bytes') => reasons.reduce((all, each) => all + each[bytes], 0);
  return {
    json: {
      ledger_read_at: rfc3339(completeAt),
      ledger_read_after_end: (completeStartedAt ?? 0) >= month.to,
      ...{ added_bytes: sum('added_bytes'), used_bytes: sum('used_bytes') },
      ...{ reasons: [...reasons], ledger_services: [...services] },
      late_rows: lateRows.map((row) => rowJson(name, row)),
    },
    unknown: unknownLedger(listing, untimedRows, zone, month),
  };
};

const useOf = async (view: Revised, found: InvoicedAccount, month: Month, now: number) => {
  const { settings, store } = found;
  const unknownOf = (use: Parameters<typeof unknownUsers>[0]) =>
    unknownUsers(use, settings.time_zone, month, now);
  if (!settings.proxy_users) return { json: { use: null, users: [] }, unknown: unknownOf(undefined) };
  const range = { from: month.dates[0] ?? '', to: month.dates.at(-1) ?? '' };
  const ranked = await rankAccount(view, { settings, store }, range, METERED_TYPES);
  return {
    json: { use: ranked.json, users: await largestUsers([ranked], METERED_TYPES, USERS) },
    unknown: unknownOf(ranked),
  };
};

const servicesOf = async (found: InvoicedAccount, month: Month) => {
  const { settings } = found;
  const isOn = settings.collectors.includes('services');
  const services = isOn ? (await readServices(found)).filter((each) => existedIn(each, month)) : [];
  return {
    json: { services: services.map((each) => serviceJson(settings.name, each)) },
    unknown: unknownServices(isOn, services, month),
  };
};

/** A service without a time may have existed at any time. */
const existedIn = ({ createdAt, expiresAt }: StoredService, { from, to }: Month): boolean =>
  (createdAt === null || createdAt < to) && (expiresAt === null || expiresAt >= from);

const comparedOf = async ({ settings, store }: InvoicedAccount, month: Month, now: number) => {
  const dates = datesUntil(month, settings.time_zone, now);
  const polled = settings.collectors.includes('reconciliation') ? comparedPairs(settings) : [];
  const days: readonly ReconciledDay[] =
    polled.length === 0 ? [] : await store.reconciliation.days(settings.name, month.from, month.to);
  const pairs = polled.map((pair) => {
    const ofPair = days.filter((day) => day.pair === pair);
    const differing_days = ofPair.filter(differs).length;
    const unknown_days = dates.length - ofPair.length;
    return { pair, ok_days: ofPair.length - differing_days, differing_days, unknown_days };
  });
  const differences = days.filter((day) => polled.includes(day.pair) && differs(day));
  return {
    json: { pairs, differences: differences.map((day) => dayJson(settings.name, day)) },
    unknown: unknownPairs(polled, days, dates),
  };
};

const EXPECTED_MONTH = 'expected one month such as 2026-03';

export const INVOICE_ROUTES = [
  route({
    path: '/api/v1/accounts/{account}/invoice',
    collector: 'residential_ledger',
    summary: 'What is known of a month, to compare it with an invoice of the provider',
    query: {
      month: parameters.singleText.describe(
        'Month as `YYYY-MM`. The default is the newest month that is over',
      ),
      format: parameters.format.describe('`csv`: one line for each number'),
    },
    answer: invoice,
    csv: { item: invoiceLine, itemsOf: linesOf },
    revision: revisionOfParts(['ledger', 'users', 'userUse', 'services', 'reconciliation'], HOUR),
    read: async ({ view, query: { month }, path: { account = '' } }) => {
      const found = view.account(account);
      if (!found) throw new ApiError(404, `account: "${account}" is not known`);
      if (month !== undefined && !MONTH_NAME.test(month)) throw new ApiError(400, `month: ${EXPECTED_MONTH}`);
      return readInvoice(view, found, month);
    },
  }),
];
