// Serves GET /api/v1/accounts/{account}/invoice, and the command of the same name: what is known of a month.

import { comparedPairs } from '../../../collectors/reconciliation/compare.ts';
import { differs } from '../../../collectors/reconciliation/explain.ts';
import { MAX_SERVICES } from '../../../collectors/services/selection.ts';
import { datesUntil, lastMonth, MONTH_NAME, monthOf, type Period } from '../../../lib/calendar.ts';
import { localDayOf } from '../../../lib/local-days.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import { DAY, HOUR } from '../../../lib/time.ts';
import { LATE_ROWS_MS } from '../../../store/ledger-store.ts';
import type { ReconciledDay } from '../../../store/reconciliation-store.ts';
import type { StoredService } from '../../../store/service-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import { rfc3339 } from '../item.ts';
import { rowJson } from '../ledger.ts';
import * as parameters from '../parameters.ts';
import { dayJson } from '../reconciliation.ts';
import { ApiError, revisionOfParts, route } from '../route.ts';
import { readServices, serviceJson } from '../services.ts';
import type { Revised } from '../users/ranking-cache.ts';
import { largestUsers, rankAccount } from '../users/user-ranking.ts';
import { type Invoice, invoice, MOST_LISTED, unknown } from './invoice-json.ts';
import { invoiceLine, linesOf } from './invoice-lines.ts';
import { readLedgerMonth } from './ledger-month.ts';
import { unknownLedger, unknownPairs, unknownServices } from './unknown-parts.ts';
import { unknownUsers } from './unknown-use.ts';

export type InvoicedAccount = Pick<AccountView, 'settings' | 'store' | 'clock'>;

/** Reads the month of an account; `name` is `YYYY-MM`, by default the newest month that is over. Throws StoreError. */
export const readInvoice = async (view: Revised, found: InvoicedAccount, name?: string): Promise<Invoice> => {
  const { settings, clock } = found;
  const { name: account, time_zone: zone, currency } = settings;
  const now = clock.now();
  const month = monthOf(name ?? lastMonth(zone, now), zone);
  const ledger = await ledgerOf('residential', found, month);
  const mobile = await ledgerOf('mobile', found, month);
  const use = await useOf(view, found, month, now);
  const services = await servicesOf(found, month, now, new Set([...ledger.serviceIds, ...mobile.serviceIds]));
  const compared = await comparedOf(found, month, now);
  return {
    ...{ account, month: month.name, time_zone: zone, currency },
    ...{ from: rfc3339(month.from), to: rfc3339(month.to), is_over: month.to <= now },
    ...ledger.json,
    ...{ mobile_added_bytes: mobile.json.added_bytes, mobile_used_bytes: mobile.json.used_bytes },
    ledgers_complete:
      isComplete(settings.residential_ledger, ledger) && isComplete(settings.mobile_ledger, mobile),
    ...use.json,
    ...services.json,
    ...compared.json,
    unknown: [ledger, use, services, compared, mobile].flatMap(({ unknown }) => unknown),
  };
};

/** A ledger that is off lacks nothing. */
const isComplete = (options: unknown, { json }: Awaited<ReturnType<typeof ledgerOf>>): boolean =>
  !options || (json.ledger_read_after_end && json.unread_rows === 0);

const NO_LEDGER = {
  ...{ ledger_read_at: null, ledger_read_after_end: false, unread_rows: 0 },
  ...{ added_bytes: null, used_bytes: null, reasons: [], ledger_services: [], ledger_service_count: 0 },
  ...{ late_rows: [], late_row_count: 0 },
};

/** Of the mobile ledger, an invoice has sums alone. */
const NOT_LISTED = { untimedRows: 0, lateRowCount: 0, serviceCount: 0 };

const ledgerOf = async (type: MeteredType, { settings, store }: InvoicedAccount, month: Period) => {
  const { name, time_zone: zone } = settings;
  const ledger = store.ledgers[type];
  const listing = settings[`${type}_ledger`] ? (await ledger.summary(name)).listing : undefined;
  const { completeAt = null, completeStartedAt, undecodedRows: unread_rows = 0 } = listing ?? {};
  if (completeAt === null)
    return {
      json: { ...NO_LEDGER, unread_rows },
      ...{
        serviceIds: new Set<string | null>(),
        unknown: unknownLedger(type, listing, undefined, zone, month),
      },
    };
  const found = await readLedgerMonth(ledger, name, zone, month);
  const { reasons, services, lateRows } = found;
  const sum = (bytes: 'added_bytes' | 'used_bytes') => reasons.reduce((all, each) => all + each[bytes], 0);
  return {
    json: {
      ledger_read_at: rfc3339(completeAt),
      ledger_read_after_end: (completeStartedAt ?? 0) - LATE_ROWS_MS >= month.to,
      ...{ unread_rows, added_bytes: sum('added_bytes'), used_bytes: sum('used_bytes') },
      ...{ reasons: [...reasons], ledger_services: [...services], ledger_service_count: found.serviceCount },
      ...{ late_rows: lateRows.map((row) => rowJson(name, row)), late_row_count: found.lateRowCount },
    },
    serviceIds: new Set(services.map(({ service_id }) => service_id)),
    unknown: unknownLedger(type, listing, type === 'mobile' ? NOT_LISTED : found, zone, month),
  };
};

const useOf = async (view: Revised, found: InvoicedAccount, month: Period, now: number) => {
  const { settings, store } = found;
  const { name, time_zone: zone } = settings;
  if (!settings.proxy_users)
    return { json: { use: null, users: [] }, unknown: unknownUsers(undefined, zone, month, now) };
  const range = { from: month.dates[0] ?? '', to: month.dates.at(-1) ?? '' };
  const ranked = await rankAccount(view, { settings, store }, range, METERED_TYPES);
  const [next] = await store.userUse.days(name, Date.parse(range.to) / DAY + 1, localDayOf(zone, now));
  return {
    json: { use: ranked.json, users: await largestUsers([ranked], METERED_TYPES, MOST_LISTED) },
    unknown: unknownUsers({ ...ranked, next }, zone, month, now),
  };
};

const servicesOf = async (
  found: InvoicedAccount,
  month: Period,
  now: number,
  idsOfMonth: ReadonlySet<string | null>,
) => {
  const { settings, store } = found;
  const { name, collectors } = settings;
  if (!collectors.includes('services'))
    return { json: { services: [] }, unknown: [unknown('services', 'services is off')] };
  const services = (await readServices(found)).filter((each) => existedIn(each, month));
  const runs = await store.runs.states(name);
  const known = {
    ...{ services, idsOfMonth, attempts: await store.services.attempts(name) },
    referencedIds: await store.services.referencedIds(name, MAX_SERVICES),
    wasRead: runs.some(({ collector, lastSuccessAt }) => collector === 'services' && lastSuccessAt !== null),
  };
  return {
    json: { services: services.map((each) => serviceJson(name, each)) },
    unknown: unknownServices(known, month, now),
  };
};

/** A service without a time may have existed at any time. */
const existedIn = ({ createdAt, expiresAt }: StoredService, { from, to }: Period): boolean =>
  (createdAt === null || createdAt < to) && (expiresAt === null || expiresAt >= from);

const comparedOf = async ({ settings, store }: InvoicedAccount, month: Period, now: number) => {
  const dates = datesUntil(month, settings.time_zone, now);
  // Balances are compared after the newest day alone, and a difference of one stays: it is not one of each day.
  const pairsOfDays = comparedPairs(settings).filter((pair) => !pair.endsWith('_summary_ledger'));
  const polled = settings.collectors.includes('reconciliation') ? pairsOfDays : [];
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

export const INVOICE_ROUTE = route({
  path: '/api/v1/accounts/{account}/invoice',
  collector: 'ledgers',
  summary: 'What is known of a month, to compare it with an invoice of the provider',
  query: {
    month: parameters.singleText.describe('Month as `YYYY-MM`. The default is the newest month that is over'),
    format: parameters.format.describe('`csv`: one line for each number'),
  },
  answer: invoice,
  csv: { item: invoiceLine, itemsOf: linesOf },
  revision: revisionOfParts(['ledgers', 'users', 'userUse', 'services', 'reconciliation'], HOUR),
  read: async ({ view, query: { month }, path: { account = '' } }) => {
    const found = view.account(account);
    if (!found) throw new ApiError(404, `account: "${account}" is not known`);
    if (month !== undefined && !MONTH_NAME.test(month)) throw new ApiError(400, `month: ${EXPECTED_MONTH}`);
    return readInvoice(view, found, month);
  },
});
