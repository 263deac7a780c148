// Serves the history of one proxy, target or tester: GET /api/v1/accounts/{account}/proxies/{proxy_id}/history and so on.

import { z } from 'zod';
import { findTestedId } from '../../../collectors/inventory-match.ts';
import {
  HISTORY_SPANS,
  HISTORY_STEPS,
  type HistoryPoint,
  type HistoryRange,
  type HistoryStep,
  UPTIME_KINDS,
  type UptimeKind,
} from '../../../collectors/proxy-tests/uptime-history.ts';
import { DAY } from '../../../lib/time.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { account, text, time } from '../fields.ts';
import * as parameters from '../parameters.ts';
import { ApiError, type ApiRoute, accountWithCollector, route } from '../route.ts';
import { attributedUptime, attributedUptimeJson } from './uptime-json.ts';

const point = attributedUptime
  .extend({ at: time.describe('Start of the hour or day, in UTC') })
  .meta({ id: 'TestHistoryPoint' });

export const history = z
  .strictObject({
    account,
    kind: z.enum(UPTIME_KINDS),
    id: text.describe('The proxy’s `proxy_id`, the tester’s `tester_server` or the target’s `url`'),
    step: z.enum(['hour', 'day']),
    from: time.describe(
      'Start of the first point. The store has no results of the time before it if you asked for more',
    ),
    to: time.describe('End of the last point'),
    data: z.array(point).describe('Oldest first. The present hour or day has the results so far'),
  })
  .meta({ id: 'TestHistory' });

const DEFAULT_SPANS = { hour: DAY, day: HISTORY_SPANS.day } as const;

/** Returns the requested range on boundaries of the step, without what the store no longer has. */
const rangeOf = (
  requested: { from?: string | undefined; to?: string | undefined; step: HistoryStep },
  now: number,
): HistoryRange | ApiError => {
  const { step } = requested;
  const stepMs = HISTORY_STEPS[step];
  // The present hour or day belongs to the range.
  const end = requested.to === undefined ? now + 1 : Date.parse(requested.to);
  const to = Math.ceil(end / stepMs) * stepMs;
  const start = requested.from === undefined ? to - DEFAULT_SPANS[step] : Date.parse(requested.from);
  if (start >= end) return new ApiError(400, 'from: expected a time before to');
  const newest = (Math.floor(now / stepMs) + 1) * stepMs;
  const clamp = (at: number): number => Math.min(newest, Math.max(newest - HISTORY_SPANS[step], at));
  return { step, from: clamp(Math.floor(start / stepMs) * stepMs), to: clamp(to) };
};

const pointJson = ({ at, ...sums }: HistoryPoint) => ({ ...attributedUptimeJson(sums), at: rfc3339(at) });

const historyRoute = (kind: UptimeKind, path: string, parameter: string): ApiRoute =>
  route({
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
    revision: (view) => view.tests.revision(),
    read: async ({ view, query, path }) => {
      const { account: name = '', [parameter]: id = '' } = path;
      const account =
        accountWithCollector(view, name, 'proxy_tests') ?? accountWithCollector(view, name, 'probes');
      const clock = account?.clock;
      const range = clock && rangeOf(query, clock.now());
      if (range instanceof ApiError) return range;
      const points = range && (await view.tests.history(name, kind, id, range));
      const store = accountWithCollector(view, name, 'inventory')?.store;
      // The page of a proxy requests its history before it knows that the tests have another id than the inventory.
      const testedId = !points && kind === 'proxy' && store ? await findTestedId(store, name, id) : undefined;
      const found =
        testedId === undefined || !range ? points : await view.tests.history(name, kind, testedId, range);
      if (!found || !range) return new ApiError(404, `${parameter}: "${id}" is not known`);
      const { step, from, to } = range;
      return {
        ...{ account: name, kind, id: testedId ?? id, step, from: rfc3339(from), to: rfc3339(to) },
        data: found.map(pointJson),
      };
    },
  });

export const HISTORY_ROUTES = [
  historyRoute('proxy', 'proxies', 'proxy_id'),
  historyRoute('target', 'targets', 'url'),
  historyRoute('tester', 'testers', 'tester_server'),
];
