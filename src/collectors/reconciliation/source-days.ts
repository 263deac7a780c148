// Reads a day of a graph's buckets, and of the ledger's use.

import { HOUR } from '../../lib/time.ts';
import { overlaps } from '../../store/gap.ts';
import type { LedgerDay } from '../../store/ledger-store.ts';
import type { Store } from '../../store/store.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { AccountSettings } from '../context.ts';
import type { Day } from './days.ts';
import { beforeHistory, type Explanation, incompleteDay } from './explain.ts';
import { hourStart } from './provider-sums.ts';

export interface SourceDay {
  readonly bytes: number;
  /** Possible causes of a difference to another source. */
  readonly explanations: readonly Explanation[];
}

export interface GraphDay extends SourceDay {
  /** Bytes that smartpath routed, which are not charged. */
  readonly smartpathBytes: number;
}

/** Returns the slice of all traffic of a product type; undefined if none is configured. */
export const sliceOf = ({ traffic }: Pick<AccountSettings, 'traffic'>, type: string) =>
  (traffic || { graphs: [] }).graphs.find(
    ({ product_type, proxy_user_id, service_id, hostname }) =>
      product_type === type && !proxy_user_id && !service_id && !hostname,
  );

/** Explains a difference to traffic by bytes that smartpath routed, which are not charged unless all of them were. */
export const withSmartpath = (charged: SourceDay, traffic: GraphDay | undefined): SourceDay => {
  const smartpath: Explanation = {
    cause: 'smartpath',
    low: 0,
    high: traffic?.smartpathBytes ?? 0,
    isAllOrNothing: true,
  };
  return { ...charged, explanations: [...charged.explanations, smartpath] };
};

export const graphDay = async (store: Store, graph: Graph, { start, end }: Day): Promise<GraphDay> => {
  let [bytes, smartpathBytes, oldest] = [0, 0, Number.POSITIVE_INFINITY];
  let hasAllBytes = true;
  for await (const bucket of store.traffic.history(graph.id, start, end)) {
    bytes += bucket.bytes ?? 0;
    hasAllBytes &&= bucket.bytes !== null;
    smartpathBytes += bucket.smartpathBytes ?? 0;
    oldest = Math.min(oldest, bucket.at);
  }
  // Rolled-up buckets also lie below the floor, and no longer show at what time of the day the history began.
  const isBeforeHistory =
    start < graph.floor && (oldest >= graph.floor || !(await hasBucketsBefore(store, graph, start)));
  const explanations = isBeforeHistory ? [beforeHistory(graph.floor)] : incompleteReasons(graph, start, end);
  const missing = hasAllBytes ? [] : [incompleteDay('not_read')];
  return { bytes, smartpathBytes, explanations: [...explanations, ...missing] };
};

const hasBucketsBefore = async (store: Store, { id }: Graph, at: number): Promise<boolean> => {
  for await (const _ of store.traffic.history(id, 0, at)) return true;
  return false;
};

/** Returns why a graph's day may be incomplete. The deep reread after the end of the day brings late data. */
const incompleteReasons = (
  { watermark, gaps, deepReadAt, baselinedAt }: Graph,
  start: number,
  end: number,
): Explanation[] => {
  if (watermark === null || watermark < end || overlaps(gaps, start, end)) return [incompleteDay('not_read')];
  // The first complete reading went back as far as a deep reread.
  return Math.max(deepReadAt ?? 0, baselinedAt ?? 0) < end ? [incompleteDay('late')] : [];
};

/** Returns a graph's bytes by the start of the hour (ms); undefined if they are rolled up by day. */
export const graphHours = async (
  store: Store,
  graph: Graph,
  zone: string,
  { start, end }: Day,
): Promise<Map<number, number> | undefined> => {
  const hours = new Map<number, number>();
  for await (const { at, widthMs, bytes } of store.traffic.history(graph.id, start, end)) {
    if (widthMs > HOUR) return undefined;
    const hour = hourStart(zone, at);
    hours.set(hour, (hours.get(hour) ?? 0) + (bytes ?? 0));
  }
  return hours;
};

/** Adds up the use in the day's rows with one of the reasons. `completeAt` is the newest complete listing (ms). */
export const ledgerDay = (
  rows: readonly LedgerDay[],
  usageReasons: readonly string[],
  completeAt: number | null,
  { date, end }: Day,
): SourceDay => ({
  bytes: rows
    .filter(({ periodDate, reason }) => periodDate === date && usageReasons.includes(reason))
    .reduce((sum, { usedBytes }) => sum + usedBytes, 0),
  explanations: completeAt === null || completeAt < end ? [incompleteDay('not_listed')] : [],
});
