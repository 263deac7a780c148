// Serves GET /api/v1/accounts/{account}/users/{proxy_user_id}/use: the use of one proxy user by hour or by day.

import { endOfLocalDay, localDayOf, localHourOf, startOfLocalDay } from '../../../lib/local-days.ts';
import { DAY, HOUR, QUARTER } from '../../../lib/time.ts';
import type { AccountView } from '../../daemon-view.ts';
import { rfc3339 } from '../item.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, itemRoute, revisionOfParts } from '../route.ts';
import { USE_STEPS, type UseStep, userUse } from './user-use-json.ts';
import { totalsOf, usePoints } from './user-use-points.ts';

const MAX_POINTS = 1_500;
const WIDTHS: Readonly<Record<UseStep, number>> = { hour: HOUR, day: DAY };
const DEFAULT_RANGES: Readonly<Record<UseStep, number>> = { hour: DAY, day: 30 * DAY };

const pointAt = (zone: string, at: number, step: UseStep): parameters.TimeRange => {
  const day = localDayOf(zone, at);
  const end = endOfLocalDay(zone, day);
  if (step === 'day') return { from: startOfLocalDay(zone, day), to: end };
  const { start } = localHourOf(zone, at);
  return { from: start, to: Math.min(end, start + HOUR) };
};

/** Returns the requested range, extended to whole points. Throws ApiError. */
const rangeOf = (
  requested: { from?: string | undefined; to?: string | undefined; step: UseStep },
  { settings: { time_zone: zone }, clock }: AccountView,
): parameters.TimeRange => {
  const { step } = requested;
  const { from, to } = parameters.timeRangeOf(requested, clock.now(), DEFAULT_RANGES[step]);
  if ((to - from) / WIDTHS[step] > MAX_POINTS)
    throw new ApiError(400, `from: expected a later time, because this makes more than ${MAX_POINTS} points`);
  // The end is exclusive, so the last instant of the range is the one before it.
  return { from: pointAt(zone, from, step).from, to: pointAt(zone, to - 1, step).to };
};

export const USER_USE_ROUTE = itemRoute({
  path: '/api/v1/accounts/{account}/users/{proxy_user_id}/use',
  collector: 'proxy_users',
  summary: 'Use of one proxy user by hour or by day',
  query: {
    from: parameters.time.describe(
      'Start of the range. The default is 24 hours before `to` for hours, and 30 days for days',
    ),
    to: parameters.time.describe('End of the range, exclusive. The default is the present time'),
    step: parameters
      .oneOf(USE_STEPS)
      .default('day')
      .describe('Width of the points. Hours older than 8 days are unknown'),
  },
  answer: userUse,
  revision: revisionOfParts(['users', 'userUse'], QUARTER),
  find: async (view, name, id, query) => {
    const found = accountWithCollector(view, name, 'proxy_users');
    if (!found) return undefined;
    const range = rangeOf(query, found);
    const { store, settings } = found;
    const zone = settings.time_zone;
    const days = [localDayOf(zone, range.from), localDayOf(zone, range.to - 1)] as const;
    const use = await store.userUse.ofUser(name, id, ...days);
    if (!use) return undefined;
    const data = usePoints({ use, days: await store.userUse.days(name, ...days), zone }, range, query.step);
    const since = await store.userUse.since(name);
    const keptSince = use.deletedUntil === null ? 0 : startOfLocalDay(zone, use.deletedUntil + 1);
    return {
      account: name,
      proxy_user_id: id,
      from: rfc3339(range.from),
      to: rfc3339(range.to),
      step: query.step,
      counted_since: rfc3339(since === null ? null : Math.max(since, keptSince)),
      totals: totalsOf(data),
      data,
    };
  },
});
