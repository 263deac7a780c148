// Serves GET /api/v1/uptimes, /api/v1/faults and histories of single subjects: uptime by hour and by day, and faults.

import { z } from 'zod';
import { findTestedId } from '../../../collectors/inventory-match.ts';
import type { Uptimes } from '../../../collectors/proxy-tests/summaries.ts';
import {
  HISTORY_SPANS,
  HISTORY_STEPS,
  type HistoryPoint,
  type HistoryRange,
  type HistoryStep,
  UPTIME_KINDS,
  type UptimeHistory,
  type UptimeKind,
} from '../../../collectors/proxy-tests/uptime-history.ts';
import { DAY, SECOND } from '../../../lib/time.ts';
import type { Uptime } from '../../../store/test-history-store.ts';
import { FAULT_KINDS, type Fault } from '../../../store/test-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { account, accountItemOf, count, itemOf, orNull, rfc3339, text, time } from '../item.ts';
import { fromWholeList, itemsOf, listRoute } from '../list-route.ts';
import * as parameters from '../parameters.ts';
import { type ApiRoute, accountWithCollector, itemRoute } from '../route.ts';
import { PROXY_HOURS_ROUTE } from './proxy-hours.ts';

const uptime = itemOf<Uptime>()('AttributedUptime', (from) => ({
  results: count,
  successes: count,
  ratio: from(orNull.ratio, ({ results, successes }) => (results === 0 ? null : successes / results)),
  mean_response_time_seconds: from(
    orNull.amount.describe('Mean of the successful results'),
    ({ successes, sumMs }) => (successes === 0 ? null : sumMs / successes / SECOND),
  ),
  own_failures: orNull.count.describe(
    'Failures by the fault of the subject itself. Null, as the next three values, if an earlier version stored failures of the period',
  ),
  other_failures: orNull.count.describe(
    'Failures by the fault of a proxy, target or tester other than the subject, or of the provider',
  ),
  unattributed_failures: from(
    orNull.count.describe('Failures that no fault explains'),
    ({ results, successes, ownFailures: own, otherFailures: other }) =>
      own === null || other === null ? null : results - successes - own - other,
  ),
  own_ratio: from(
    orNull.ratio.describe('Share of the results that are not failures by the fault of the subject itself'),
    ({ results, ownFailures: own, otherFailures: other }) =>
      own === null || other === null || results === 0 ? null : (results - own) / results,
  ),
}));
export const { schema: attributedUptime, json: attributedUptimeJson } = uptime;

export const { schema: uptimes } = itemOf<Uptimes>()('Uptimes', () => ({
  '24h': attributedUptime,
  '7d': attributedUptime,
  '30d': attributedUptime,
  '90d': attributedUptime.describe('The current day in UTC, and the 89 days before it'),
}));

const stepFields = { ...uptime.fields, at: time.describe('Start of the hour or day, in UTC') };
const { schema: step } = itemOf<Uptime & Pick<HistoryPoint, 'at'>>()('UptimeStep', () => stepFields);
const { schema: point, json: pointJson } = itemOf<HistoryPoint>()('TestHistoryPoint', () => stepFields);

const SUBJECT_ID = text.describe(
  'The proxy’s `proxy_id`, the tester’s `tester_server` or the target’s `url`',
);

export const { schema: uptimeHistory, json: uptimeHistoryJson } = accountItemOf<UptimeHistory>()(
  'UptimeStrip',
  () => ({
    kind: z.enum(UPTIME_KINDS),
    id: SUBJECT_ID,
    hours: z.array(step).describe('24 hours, oldest first. The last item is the current hour'),
    days: z.array(step).describe('30 days, oldest first. The last item is the current day'),
  }),
);

export const { schema: fault, json: faultJson } = accountItemOf<Fault>()('Fault', (from) => ({
  kind: z.enum(FAULT_KINDS),
  subject: text.describe(
    'A `proxy_id` (also of `access`), `url` or `tester_server`, or empty for the provider',
  ),
  since: time,
  reason: from(
    orNull.text.describe('Reason as a text, from the last round with results'),
    ({ reason }) => reason || null,
  ),
}));

const revision = (view: DaemonView): Promise<string> => view.tests.revision();

const faultsOf = async (
  view: DaemonView,
  account: string,
  kinds: readonly Fault['kind'][],
): Promise<readonly Fault[]> =>
  (await view.tests.faults(account)).filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));

export const totalByKind = z
  .record(z.enum(FAULT_KINDS), count)
  .describe('Number of items of each kind that match, on all pages');

export const UPTIME_ROUTES = [
  listRoute({
    path: '/api/v1/uptimes',
    collector: 'proxy_tests',
    summary: 'Uptime by hour for 24 hours and by day for 30 days',
    query: {
      kind: parameters.oneOf(UPTIME_KINDS).default('proxy').describe('Kind of subject'),
      id: parameters.texts.describe('Only the subject with this id. You can repeat the parameter'),
    },
    item: uptimeHistory,
    revision,
    list: (view, { kind, id }) =>
      fromWholeList(async (name) => {
        const histories = await view.tests.uptimeHistories(name, kind);
        return id.length === 0 ? histories : histories.filter((each) => id.includes(each.id));
      }),
    toJson: uptimeHistoryJson,
  }),
  PROXY_HOURS_ROUTE,
  listRoute({
    path: '/api/v1/faults',
    collector: 'proxy_tests',
    summary: 'Proxies, targets, testers and providers at fault for failing tests, with start and reason',
    query: {
      kind: parameters.someOf(FAULT_KINDS).describe('Only faults of this kind. You can repeat the parameter'),
    },
    item: fault,
    revision,
    list: (view, { kind: kinds }) =>
      fromWholeList(async (name) =>
        itemsOf(await faultsOf(view, name, kinds), ({ kind, subject }) => `${kind}\n${subject}`),
      ),
    count: async (view, { kind: kinds }, accounts) => {
      let total = 0;
      for (const name of accounts) total += (await faultsOf(view, name, kinds)).length;
      return total;
    },
    more: { total_by_kind: totalByKind },
    readMore: async (view, { kind: kinds }, accounts) => {
      const all = await Promise.all(accounts.map((name) => faultsOf(view, name, kinds)));
      const totalOf = (kind: Fault['kind']) => all.flat().filter((each) => each.kind === kind).length;
      return { total_by_kind: Object.fromEntries(FAULT_KINDS.map((kind) => [kind, totalOf(kind)])) };
    },
    toJson: faultJson,
  }),
];

export const history = z
  .strictObject({
    account,
    kind: z.enum(UPTIME_KINDS),
    id: SUBJECT_ID,
    step: z.enum(['hour', 'day']),
    from: time.describe(
      'Start of the first point. The store has no results of the time before it if you asked for more',
    ),
    to: time.describe('End of the last point'),
    data: z.array(point).describe('Oldest first. The present hour or day has the results so far'),
  })
  .meta({ id: 'TestHistory' });

const DEFAULT_SPANS = { hour: DAY, day: HISTORY_SPANS.day } as const;

/** Returns the requested range on boundaries of the step, without what the store no longer has. Throws ApiError. */
const rangeOf = (
  requested: { from?: string | undefined; to?: string | undefined; step: HistoryStep },
  now: number,
): HistoryRange => {
  const { step } = requested;
  const stepMs = HISTORY_STEPS[step];
  // Both ends are moved to boundaries, so that the default range has its whole steps only with almost one step less.
  const defaultMs = DEFAULT_SPANS[step] - stepMs + 1;
  // The present hour or day belongs to the range.
  const { from, to } = parameters.timeRangeOf(requested, now + 1, defaultMs);
  const newest = (Math.floor(now / stepMs) + 1) * stepMs;
  const clamp = (at: number): number => Math.min(newest, Math.max(newest - HISTORY_SPANS[step], at));
  return {
    step,
    from: clamp(Math.floor(from / stepMs) * stepMs),
    to: clamp(Math.ceil(to / stepMs) * stepMs),
  };
};

const historyRoute = (kind: UptimeKind, path: string, parameter: string): ApiRoute =>
  itemRoute({
    path: `/api/v1/accounts/{account}/${path}/{${parameter}}/history`,
    collector: 'proxy_tests',
    summary: `Results of the tests of one ${kind} by hour or by day`,
    query: {
      from: parameters.time.describe('Start of the range. The default is 24 hours or 90 days before `to`'),
      to: parameters.time.describe('End of the range, exclusive. The default is the present time'),
      step: parameters
        .oneOf(['hour', 'day'])
        .default('hour')
        .describe('`hour` for at most the last 31 days, or `day` for at most the last 90 days'),
    },
    answer: history,
    revision,
    find: async (view, name, id, query) => {
      const found =
        accountWithCollector(view, name, 'proxy_tests') ?? accountWithCollector(view, name, 'probes');
      if (!found) return undefined;
      const { step, from, to } = rangeOf(query, found.clock.now());
      const answer = async (id: string) => {
        const points = await view.tests.history(name, kind, id, { step, from, to });
        const data = points?.map(pointJson);
        return data && { account: name, kind, id, step, from: rfc3339(from), to: rfc3339(to), data };
      };
      const own = await answer(id);
      if (own || kind !== 'proxy') return own;
      // The page of a proxy requests its history before it knows that the tests have another id than the inventory.
      const store = accountWithCollector(view, name, 'inventory')?.store;
      const testedId = store && (await findTestedId(store, name, id));
      return testedId === undefined ? undefined : answer(testedId);
    },
  });

export const HISTORY_ROUTES = [
  historyRoute('proxy', 'proxies', 'proxy_id'),
  historyRoute('target', 'targets', 'url'),
  historyRoute('tester', 'testers', 'tester_server'),
];
