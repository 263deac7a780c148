// What the store says of a day: buckets of a graph, use by the ledger, growth of all proxy users' bytes.

import { HOUR } from '../../lib/time.ts';
import { overlaps } from '../../store/gap.ts';
import type { LedgerDay } from '../../store/ledger-store.ts';
import type { Store } from '../../store/store.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { UsagePeriod } from '../../store/user-store.ts';
import { hourOf } from './coarse.ts';
import type { Day } from './days.ts';
import { type Explanation, incomplete } from './explain.ts';

/** One side of a comparison. */
export interface Side {
  readonly bytes: number;
  /** What a difference to another side may come of. */
  readonly explanations: readonly Explanation[];
}

export interface GraphDay extends Side {
  /** Bytes that smartpath routed, which are not charged. */
  readonly smartpathBytes: number;
}

/** The sum of a graph's buckets. */
export const graphDay = async (store: Store, graph: Graph, { start, end }: Day): Promise<GraphDay> => {
  let [bytes, smartpathBytes, oldest] = [0, 0, Number.POSITIVE_INFINITY];
  let isGiven = true;
  for await (const bucket of store.traffic.history(graph.id, start, end)) {
    bytes += bucket.bytes ?? 0;
    isGiven &&= bucket.bytes !== null;
    smartpathBytes += bucket.smartpathBytes ?? 0;
    oldest = Math.min(oldest, bucket.at);
  }
  // What was rolled up lies below the floor as well, and no longer tells at what time of its day it began.
  const isBeforeHistory =
    start < graph.floor && (oldest >= graph.floor || !(await hasBefore(store, graph, start)));
  const explanations = isBeforeHistory ? [incomplete('before_history')] : gapsOf(graph, start, end);
  const missing = isGiven ? [] : [incomplete('not_read')];
  return { bytes, smartpathBytes, explanations: [...explanations, ...missing] };
};

const hasBefore = async (store: Store, { id }: Graph, at: number): Promise<boolean> => {
  for await (const _ of store.traffic.history(id, 0, at)) return true;
  return false;
};

/** Why a graph's day may not be whole: late data is brought by the deep reread after its end. */
const gapsOf = (
  { watermark, gaps, deepReadAt, baselinedAt }: Graph,
  start: number,
  end: number,
): Explanation[] => {
  if (watermark === null || watermark < end || overlaps(gaps, start, end)) return [incomplete('not_read')];
  // The first complete reading was as deep as any.
  return Math.max(deepReadAt ?? 0, baselinedAt ?? 0) < end ? [incomplete('late')] : [];
};

/** A graph's bytes by hour (ms); undefined where they are rolled up by day. */
export const graphHours = async (
  store: Store,
  graph: Graph,
  zone: string,
  { start, end }: Day,
): Promise<Map<number, number> | undefined> => {
  const hours = new Map<number, number>();
  for await (const { at, widthMs, bytes } of store.traffic.history(graph.id, start, end)) {
    if (widthMs > HOUR) return undefined;
    const hour = hourOf(zone, at);
    hours.set(hour, (hours.get(hour) ?? 0) + (bytes ?? 0));
  }
  return hours;
};

/** Use by the rows of the day that have one of the reasons; the ledger was last listed whole at `completeAt` (ms). */
export const ledgerDay = (
  rows: readonly LedgerDay[],
  usageReasons: readonly string[],
  completeAt: number | null,
  { date, end }: Day,
): Side => ({
  bytes: rows
    .filter(({ periodDate, reason }) => periodDate === date && usageReasons.includes(reason))
    .reduce((sum, { usedBytes }) => sum + usedBytes, 0),
  explanations: completeAt === null || completeAt < end ? [incomplete('not_listed')] : [],
});

const grownIn = (periods: readonly UsagePeriod[]): number =>
  periods.reduce((sum, { bytes }) => sum + Math.max(0, bytes), 0);

/**
 * What users' bytes grew by. They are known by listings, so that the growth seen by the first one of the day may be
 * of the day before, and some of the day's is seen by the first one after it. Of who was reset meanwhile that one
 * sees less: `usedBefore` tells the traffic from an instant (ms) to the end of the day.
 */
export const usersDay = async (
  periods: readonly UsagePeriod[],
  usedBefore: (from: number) => Promise<number>,
  { start, end }: Day,
): Promise<Side> => {
  const counted = periods.filter(({ until }) => until > start && until <= end);
  const bytes = counted.reduce((sum, period) => sum + period.bytes, 0);
  const [first, next] = [counted[0], periods.find(({ until }) => until > end)];
  if (!first || !next || first.since > start || next.since > end) {
    return { bytes, explanations: [incomplete('not_listed')] };
  }
  // Those of a listing that took several runs overlap.
  const high = grownIn(counted.filter(({ since }) => since < start));
  const over = periods.filter(({ since, until }) => since < end && until > end);
  const low = over.length > 0 ? -Math.max(grownIn(over), await usedBefore(next.since)) : 0;
  return { bytes, explanations: [{ cause: 'listing_interval', low, high }] };
};
