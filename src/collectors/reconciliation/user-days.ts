// Reads how the bytes of all proxy users grew on a day, from the listings of the users.

import type { MeteredType } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { UsagePeriod } from '../../store/user-store.ts';
import type { RunContext } from '../context.ts';
import type { Day } from './days.ts';
import { beforeHistory, incompleteDay } from './explain.ts';
import { graphDay, type SourceDay } from './source-days.ts';

/** Returns a function for a day's growth of the users' bytes of a type. `graph` has the traffic of the type, if known. */
export const readUserDays = async (
  { account, store }: Pick<RunContext<unknown>, 'account' | 'store'>,
  days: readonly Day[],
  type: MeteredType,
  graph: Graph | undefined,
): Promise<(day: Day) => Promise<SourceDay>> => {
  const { beganAt } = await store.users.listing(account.name);
  // A new epoch does not delete the periods of the older one.
  const listedSince = (await store.users.usageSince(account.name)) ?? beganAt;
  const [from, to] = [days[0]?.start ?? 0, (days.at(-1)?.end ?? 0) + DAY];
  const periods = (await store.users.usage(account.name, from, to)).filter(
    ({ productType }) => productType === type,
  );
  return (day) => {
    // The sum begins with the bucket that contains the instant.
    const trafficFrom = async (from: number): Promise<number> =>
      graph ? (await graphDay(store, graph, { ...day, start: from - graph.bucketMs })).bytes : 0;
    return usersDay(periods, trafficFrom, listedSince, day);
  };
};

const growthIn = (periods: readonly UsagePeriod[]): number =>
  periods.reduce((sum, { bytes }) => sum + Math.max(0, bytes), 0);

/** Whether each period begins before or when the earlier ones end. Otherwise the growth in between is unknown. */
const areContinuous = (periods: readonly UsagePeriod[]): boolean => {
  let listedUntil = Number.POSITIVE_INFINITY;
  return periods.every(({ since, until }, index) => {
    const isContinuous = since <= listedUntil;
    listedUntil = index === 0 ? until : Math.max(listedUntil, until);
    return isContinuous;
  });
};

/**
 * Returns the growth of users' bytes. It is known from listings. Growth seen by the first listing of the day may belong
 * to the day before, and the first listing after the day sees some growth of the day. A reset in between hides growth
 * from that listing, so `trafficFrom` bounds it by the traffic from an instant (ms) to the end of the day. `listedSince`
 * is when the stored listings begin (ms).
 */
const usersDay = async (
  periods: readonly UsagePeriod[],
  trafficFrom: (from: number) => Promise<number>,
  listedSince: number | null,
  { start, end }: Day,
): Promise<SourceDay> => {
  const counted = periods.filter(({ until }) => until > start && until <= end);
  const bytes = counted.reduce((sum, period) => sum + period.bytes, 0);
  const [first, next] = [counted[0], periods.find(({ until }) => until > end)];
  if (!first || !next || first.since > start || !areContinuous([...counted, next])) {
    const isBeforeHistory = listedSince !== null && start < listedSince;
    const cause = incompleteDay(next ? 'listing_gap' : 'not_listed');
    return { bytes, explanations: [isBeforeHistory ? beforeHistory(listedSince) : cause] };
  }
  // The periods of a listing that took several runs overlap.
  const high = growthIn(counted.filter(({ since }) => since < start));
  const acrossEnd = periods.filter(({ since, until }) => since < end && until > end);
  const low = acrossEnd.length > 0 ? -Math.max(growthIn(acrossEnd), await trafficFrom(next.since)) : 0;
  return { bytes, explanations: [{ cause: 'listing_interval', low, high }] };
};
