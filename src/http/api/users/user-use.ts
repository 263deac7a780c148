// Serves GET /api/v1/accounts/{account}/users/{proxy_user_id}/use by hour or day. Without a counted listing, use is unknown.

import { endOfLocalDay, localDayOf, localHourOf, startOfLocalDay } from '../../../lib/local-days.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import { DAY, HOUR, QUARTER, SECOND } from '../../../lib/time.ts';
import type { UseDay, UsedBytes, UsePeriod, UserDay, UserUse } from '../../../store/user-use-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import { rfc3339 } from '../item.ts';
import type { TimeRange } from '../parameters.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, itemRoute, revisionOfParts } from '../route.ts';
import { type KnownBytes, USE_STEPS, type UsePoint, type UseStep, userUse } from './user-use-json.ts';

/** Returns the points that overlap the range, the oldest first. */
export const usePoints = (
  { use, days, zone }: { readonly use: UserUse; readonly days: readonly UseDay[]; readonly zone: string },
  { from, to }: TimeRange,
  step: UseStep,
): UsePoint[] => {
  const periods = new Map(days.map((each) => [each.day, each]));
  const rows = new Map(use.days.map((each) => [each.day, each]));
  const points: UsePoint[] = [];
  for (let day = localDayOf(zone, from); day <= localDayOf(zone, to - 1); day += 1) {
    const span = { from: startOfLocalDay(zone, day), to: endOfLocalDay(zone, day) };
    const isDeleted = use.deletedUntil !== null && day <= use.deletedUntil;
    const period = isDeleted ? undefined : periods.get(day);
    const row = rows.get(day);
    if (step === 'day') points.push(pointOf(span, period, row?.bytes, use));
    else points.push(...hoursOf(span, period, row, use));
  }
  return points.filter(({ at, width_seconds }) => {
    const start = Date.parse(at);
    return start < to && start + width_seconds * SECOND > from;
  });
};

const hoursOf = (
  { from, to }: TimeRange,
  period: UseDay | undefined,
  row: UserDay | undefined,
  use: UserUse,
): UsePoint[] => {
  const points: UsePoint[] = [];
  for (let index = 0; from + index * HOUR < to; index += 1) {
    const start = from + index * HOUR;
    // The hours of an old day are deleted user by user.
    const hourPeriod = row?.hours === null ? undefined : period?.hours.get(index);
    points.push(
      pointOf({ from: start, to: Math.min(to, start + HOUR) }, hourPeriod, row?.hours?.get(index), use),
    );
  }
  return points;
};

const pointOf = (
  { from, to }: TimeRange,
  period: UsePeriod | undefined,
  bytes: UsedBytes | undefined,
  { missing }: UserUse,
): UsePoint => {
  const bytesOf = (type: MeteredType): number | null =>
    period ? knownUse(bytes?.[type], missing[type], [period]) : null;
  return {
    at: rfc3339(from),
    width_seconds: (to - from) / SECOND,
    counted_since: rfc3339(period?.since ?? null),
    counted_until: rfc3339(period?.until ?? null),
    bytes: { residential: bytesOf('residential'), mobile: bytesOf('mobile') },
  };
};

/** Returns null instead of 0 unless the provider gave the user's used bytes during the whole of one of the periods. */
export const knownUse = (
  bytes: number | undefined,
  missing: UsePeriod | null,
  periods: readonly UsePeriod[],
): number | null => {
  const isKnown = ({ since, until }: UsePeriod): boolean =>
    missing === null || until < missing.since || since >= missing.until;
  return bytes || (periods.some(isKnown) ? 0 : null);
};

export const totalsOf = (points: readonly UsePoint[]): KnownBytes => {
  const totals: Record<MeteredType, number | null> = { residential: null, mobile: null };
  for (const { bytes } of points) {
    for (const type of METERED_TYPES) {
      const value = bytes[type];
      if (value !== null) totals[type] = (totals[type] ?? 0) + value;
    }
  }
  return totals;
};

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
