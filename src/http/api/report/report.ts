// Serves GET /api/v1/accounts/{account}/report, and reads for the command of the same name: a week or month of an account.

import type { CollectorName } from '../../../collectors/context.ts';
import { readFreshness } from '../../../collectors/freshness.ts';
import { REPORT_UNITS } from '../../../lib/report-units.ts';
import { HOUR } from '../../../lib/time.ts';
import type { AccountView } from '../../daemon-view.ts';
import type { Period } from '../invoice/month.ts';
import { unknown } from '../invoice/unknown-part.ts';
import { rfc3339 } from '../item.ts';
import * as parameters from '../parameters.ts';
import { ApiError, route } from '../route.ts';
import type { Revised } from '../users/user-ranking.ts';
import { readAmounts } from './amounts.ts';
import { countChanges, readServiceDates, unknownChanges } from './changes.ts';
import { readFaults } from './faults.ts';
import { daysBefore, periodBefore, periodOf, type RequestedPeriod } from './period.ts';
import { type Report, report, type UnknownOfReport } from './report-json.ts';
import { readBalance, readQuotas } from './runway.ts';
import { whereAny } from './unknown-days.ts';
import { readUptime } from './uptime.ts';

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
    ...{ users: amounts.users, ledger_services: amounts.ledger_services },
    ...{ balance: await readBalance(found), quotas: quotas.quotas },
    ...parts.json,
    unknown: [...amounts.unknown, ...comparison(before.unknown, period), ...quotas.unknown, ...parts.unknown],
  };
};

/** What is off, was said of the period itself. */
const comparison = (unknownBefore: UnknownOfReport, { unit }: Period): UnknownOfReport =>
  ['ledger', 'users', 'traffic']
    .filter((part) => unknownBefore.some((each) => each.part === part && !each.message.endsWith(' is off')))
    .map((part) => unknown('comparison', `${part}: not all of the ${unit} before is known`));

/** Reads the parts that proxywatch knows only of the time in which it watched. */
const readParts = async (found: ReportedAccount, period: Period, now: number) => {
  const { settings, store } = found;
  const { name, collectors } = settings;
  const alerts = await unknownAlerts(found, period, now);
  const faults = alerts.isKnown ? await readFaults(store.alertHistory, name, period, now) : undefined;
  const sources = (['proxy_tests', 'probes'] as const).filter((source) => collectors.includes(source));
  const uptimes = [];
  for (const source of sources) {
    const watched = await watch(found, source, period, now);
    const { uptime, unknown } = await readUptime(found, source, period, watched.since);
    uptimes.push({ uptime, unknown: [...watched.unknown, ...unknown] });
  }
  const inventory = await watch(found, 'inventory', period, now);
  const services = await watch(found, 'services', period, now);
  return {
    json: {
      ...{ alerts: faults?.alerts ?? null, longest_alerts: faults?.longest_alerts ?? [] },
      uptime: uptimes.map(({ uptime }) => uptime),
      inventory_changes: inventory.isKnown ? await countChanges(found, period) : null,
      services: services.isRead ? await readServiceDates(found, period) : null,
    },
    unknown: [
      ...alerts.unknown,
      ...(faults?.unknown ?? []),
      ...(sources.length === 0 ? [unknown('proxy_tests', 'proxy_tests and probes are off')] : []),
      ...uptimes.flatMap(({ unknown }) => unknown),
      ...inventory.unknown,
      ...(inventory.isRead ? await unknownChanges(found, period, now) : []),
      ...services.unknown,
    ],
  };
};

/**
 * Returns whether the collector has data, and has any of the period, since when it runs (ms), and on which of the days it did
 * not run.
 */
const watch = async (
  { settings, store }: ReportedAccount,
  collector: CollectorName & UnknownOfReport[number]['part'],
  period: Period,
  now: number,
) => {
  const { state, watchedSince } = await readFreshness(settings, collector, store, now);
  const since = watchedSince ?? now;
  const never = state === 'not_monitored' ? `${collector} is off` : `${collector} has not read its data yet`;
  if (state === 'not_monitored' || state === 'no_data')
    return { isRead: false, isKnown: false, since, unknown: [unknown(collector, never)] };
  const days = daysBefore(period, settings.time_zone, since);
  return {
    ...{ isRead: true, isKnown: days.length < period.dates.length, since },
    unknown: whereAny(collector, `${collector} did not run on ${SOME_DAYS}`, days),
  };
};

const SOME_DAYS = 'these days, or not from their beginning';

/** Nothing is said of the time in which the daemon was down: it evaluates what it then reads. */
const unknownAlerts = async (
  { settings, store, keptMs, isEvaluated }: ReportedAccount,
  period: Period,
  now: number,
): Promise<{ readonly isKnown: boolean; readonly unknown: UnknownOfReport }> => {
  if (!isEvaluated) return { isKnown: false, unknown: [unknown('alerts', 'alerts are not evaluated')] };
  const { name, time_zone: zone } = settings;
  const runs = await store.runs.states(name);
  const since = Math.min(now, ...runs.map(({ watchedSince }) => watchedSince ?? now));
  const unwatched = daysBefore(period, zone, since);
  const deleted = daysBefore(period, zone, now - keptMs);
  return {
    isKnown: [unwatched, deleted].every((days) => days.length < period.dates.length),
    unknown: [
      ...whereAny('alerts', `the account was not watched on ${SOME_DAYS}`, unwatched),
      ...whereAny('alerts', 'alerts that ended on these days are deleted', deleted),
    ],
  };
};

const PARTS = ['ledger', 'users', 'userUse', 'services', 'traffic', 'alerts', 'inventory', 'runs'] as const;

export const REPORT_ROUTES = [
  route({
    path: '/api/v1/accounts/{account}/report',
    summary: 'A week or month of an account: bytes, alerts, uptime, changes, and what is left',
    query: {
      period: parameters.oneOf(REPORT_UNITS).default('week').describe('Weeks begin on Monday'),
      from: parameters.date.describe(
        'A day of the week or month. The default is the newest week or month that is over',
      ),
    },
    answer: report,
    revision: async (view, { path: { account } }) =>
      `${view.revision(PARTS, HOUR)} ${await view.tests.revision(account)}`,
    read: async ({ view, query: { period: unit, from: date }, path: { account = '' } }) => {
      const found = view.account(account);
      if (!found) throw new ApiError(404, `account: "${account}" is not known`);
      return readReport(view, { ...found, isEvaluated: view.alerts.isEvaluated }, { unit, date });
    },
  }),
];
