// Serves GET /api/v1/accounts/{account}/report, and the command of the same name: a week or month, and what is left.

import { readFreshness } from '../../../collectors/freshness.ts';
import { userStatusPages } from '../../../collectors/proxy-users/user-pages.ts';
import { type Period, REPORT_UNITS } from '../../../lib/calendar.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import { HOUR } from '../../../lib/time.ts';
import type { AccountView } from '../../daemon-view.ts';
import { unknown } from '../invoice/invoice-json.ts';
import { removedServices } from '../invoice/unknown-parts.ts';
import { rfc3339 } from '../item.ts';
import { ledgerJson, readLedger } from '../ledger.ts';
import * as parameters from '../parameters.ts';
import { ApiError, revisionOfParts, route } from '../route.ts';
import type { Revised } from '../users/ranking-cache.ts';
import { MOST_NAMED, readAmounts } from './amounts.ts';
import { readFaults, readInventoryChanges, readServiceDates } from './changes.ts';
import { daysBefore, periodBefore, periodOf, type RequestedPeriod, whereAny } from './period.ts';
import { AMOUNT_PARTS, type Report, report, type UnknownOfReport } from './report-json.ts';
import { readUptime } from './uptime.ts';

type Account = Pick<AccountView, 'settings' | 'store' | 'clock' | 'userOptions'>;
type Quotas = NonNullable<Report['quotas']>;

/** Before the whole residential ledger is read, another part says so. */
const readBalance = async (type: MeteredType, found: Account): Promise<Report['balance']> =>
  found.settings[`${type}_ledger`]
    ? ledgerJson(found.settings.name, await readLedger(type, found)).balance
    : null;

interface Runway extends Pick<Report, 'quotas'> {
  readonly unknown: UnknownOfReport;
}

/** That the users are not polled is said with their use. */
const readQuotas = async ({ settings, store, clock, userOptions }: Account): Promise<Runway> => {
  if (!settings.proxy_users) return { quotas: null, unknown: [] };
  if ((await store.users.listing(settings.name)).countedAt === null)
    return { quotas: null, unknown: [unknown('quotas', 'proxywatch has not listed all users yet')] };
  const quotas = { exhausted: 0, soon: 0, low: 0, unknown: 0 };
  let next: Quotas['next'] = [];
  for await (const page of userStatusPages({ account: settings, options: userOptions, store, clock })) {
    for (const { user, statuses } of page) {
      if (user.isDeleted) continue;
      for (const product_type of METERED_TYPES) {
        const { state, leftBytes = 0, exhaustedAt } = statuses[product_type];
        // A limit of 0 that the configuration ignores has no state, and is no unknown use.
        if (user.quotas[product_type].usedBytes === null) quotas.unknown += 1;
        else if (state !== undefined && state !== 'ok' && state !== 'unlimited') quotas[state] += 1;
        if (leftBytes <= 0 || exhaustedAt === undefined) continue;
        const exhausted_at = rfc3339(Math.round(exhaustedAt));
        next.push({ proxy_user_id: user.id, product_type, left_bytes: leftBytes, exhausted_at });
      }
    }
    next = next
      .sort((one, other) => Date.parse(one.exhausted_at) - Date.parse(other.exhausted_at))
      .slice(0, MOST_NAMED);
  }
  return { quotas: { ...quotas, next }, unknown: [] };
};

export interface ReportedAccount
  extends Pick<AccountView, 'settings' | 'store' | 'clock' | 'userOptions' | 'keptMs'> {
  /** Whether the daemon evaluates alerts. */
  readonly isEvaluated: boolean;
}

/** Throws StoreError. */
export const readReport = async (
  view: Revised,
  found: ReportedAccount,
  requested: RequestedPeriod,
): Promise<Report> => {
  const { settings, clock } = found;
  const { name: account, time_zone: zone } = settings;
  const now = clock.now();
  const period = periodOf(requested, zone, now);
  const amounts = await readAmounts(view, found, period);
  const before = await readAmounts(view, found, periodBefore(period, zone));
  const parts = await readParts(found, period, now);
  const quotas = await readQuotas(found);
  const mobile = await readBalance('mobile', found);
  return {
    ...{
      account,
      period: period.unit,
      first_day: period.dates[0] ?? '',
      last_day: period.dates.at(-1) ?? '',
    },
    ...{ time_zone: zone, from: rfc3339(period.from), to: rfc3339(period.to) },
    ...{ is_over: period.to <= now, made_at: rfc3339(now) },
    ...{ amounts: amounts.amounts, amounts_before: before.amounts },
    comparable: comparableParts(period.to <= now, amounts.unknown, before.unknown),
    ...{ users: amounts.users, ledger_services: amounts.ledger_services },
    ...{ balance: await readBalance('residential', found), mobile_balance: mobile, quotas: quotas.quotas },
    ...parts.json,
    unknown: [
      ...amounts.unknown,
      ...comparison(before.unknown, period),
      ...(settings.mobile_ledger && !mobile ? [unknown('mobile', 'the mobile balance is unknown')] : []),
      ...quotas.unknown,
      ...parts.unknown,
    ],
  };
};

/** What is off, was said of the period itself. */
const comparison = (unknownBefore: UnknownOfReport, { unit }: Period): UnknownOfReport =>
  AMOUNT_PARTS.filter((part) =>
    unknownBefore.some((each) => each.part === part && !each.message.endsWith(' is off')),
  ).map((part) => unknown('comparison', `${part}: not all of the ${unit} before is known`));

/** Reads the parts that are not about bytes. */
const readParts = async (found: ReportedAccount, period: Period, now: number) => {
  const { collectors } = found.settings;
  const faults = await faultsOf(found, period, now);
  const sources = (['proxy_tests', 'probes'] as const).filter((source) => collectors.includes(source));
  const uptimes = [];
  for (const source of sources) uptimes.push(await readUptime(found, source, period));
  const inventory = await readInventoryChanges(found, period, now);
  const { state } = await readFreshness(found.settings, 'services', found.store, now);
  // A service of which the ledger has the id alone may be of another time.
  const known = {
    attempts: await found.store.services.attempts(found.settings.name),
    idsOfMonth: new Set<string>(),
  };
  const isRead = state === 'current' || state === 'stale';
  const why = state === 'not_monitored' ? 'services is off' : 'proxywatch has not read the services yet';
  return {
    json: {
      ...{ alerts: faults.alerts, longest_alerts: faults.longest_alerts },
      uptime: uptimes.map(({ uptime }) => uptime),
      inventory_changes: inventory.counts,
      services: isRead ? await readServiceDates(found, period) : null,
    },
    unknown: [
      ...faults.unknown,
      ...(sources.length === 0 ? [unknown('proxy_tests', 'proxy_tests and probes are off')] : []),
      ...uptimes.flatMap(({ unknown }) => unknown),
      ...inventory.unknown,
      ...(isRead ? removedServices(known, period) : [unknown('services', why)]),
    ],
  };
};

/** Alerts are known while the daemon ran, as a collector without a long pause shows. Before that, no alert proves nothing. */
const faultsOf = async (found: ReportedAccount, period: Period, now: number) => {
  const { settings, store, keptMs, isEvaluated } = found;
  const { name, time_zone: zone, collectors } = settings;
  if (!isEvaluated)
    return { alerts: null, longest_alerts: [], unknown: [unknown('alerts', 'alerts are not evaluated')] };
  const runs = (await store.runs.states(name)).filter((run) => collectors.some((on) => on === run.collector));
  const since = Math.min(now, ...runs.map(({ watchedSince }) => watchedSince));
  const unproven = daysBefore(period, zone, since);
  const deleted = daysBefore(period, zone, now - keptMs);
  const faults = await readFaults(store.alertHistory, name, period, now);
  const isUnproven = [unproven, deleted].some((days) => days.length === period.dates.length);
  return {
    ...faults,
    alerts: isUnproven && faults.alerts?.length === 0 ? null : faults.alerts,
    unknown: [
      ...whereAny(
        'alerts',
        'proxywatch did not run all the time, so alerts of these days can be missing',
        unproven,
      ),
      ...whereAny('alerts', 'alerts that ended on these days are deleted', deleted),
      ...faults.unknown,
    ],
  };
};

/** Returns the parts of the amounts of which all is known of both periods. */
const comparableParts = (isOver: boolean, known: UnknownOfReport, before: UnknownOfReport) =>
  AMOUNT_PARTS.filter((part) => isOver && ![...known, ...before].some((each) => each.part === part));

export const REPORT_ROUTE = route({
  path: '/api/v1/accounts/{account}/report',
  summary: 'A week or month of an account: bytes, alerts, uptime, changes, and what is left',
  query: {
    period: parameters.oneOf(REPORT_UNITS).default('week').describe('Weeks begin on Monday'),
    from: parameters.date.describe(
      'A day of the week or month. The default is the newest week or month that is over',
    ),
  },
  answer: report,
  // Something changes each minute, and a report takes more time than other answers. `made_at` says how old it is.
  revision: revisionOfParts([], HOUR),
  read: async ({ view, query: { period: unit, from: date }, path: { account = '' } }) => {
    const found = view.account(account);
    if (!found) throw new ApiError(404, `account: "${account}" is not known`);
    return readReport(view, { ...found, isEvaluated: view.alerts.isEvaluated }, { unit, date });
  },
});
