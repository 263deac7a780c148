// Converts the stored use of a user to points of an hour or a day. Points without a counted listing are unknown.

import { endOfLocalDay, localDayOf, startOfLocalDay } from '../../../lib/local-days.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import { HOUR, SECOND } from '../../../lib/time.ts';
import type { UseDay, UsedBytes, UsePeriod, UserDay, UserUse } from '../../../store/user-use-store.ts';
import { rfc3339 } from '../item.ts';
import type { TimeRange } from '../parameters.ts';
import type { KnownBytes, UsePoint, UseStep } from './user-use-json.ts';

export interface StoredUse {
  readonly use: UserUse;
  readonly days: readonly UseDay[];
  readonly zone: string;
}

/** Returns the points that overlap the range, the oldest first. */
export const usePoints = (
  { use, days, zone }: StoredUse,
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
