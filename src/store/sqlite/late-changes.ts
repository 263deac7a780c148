// Stores which values changed after they had settled, if the change is large enough to be seen in a plot.

import { HOUR } from '../../lib/time.ts';
import { overlaps, type TimeRange } from '../gap.ts';
import type { Bucket, BucketWindow, Graph } from '../traffic-store.ts';
import type { Database } from './file/database.ts';

/** Most data changes a little for days. A mark for each change would hide those that explain a jump. */
const MIN_SHARE = 0.05;

const isVisible = (change: number, total: number): boolean => change > 0 && change >= MIN_SHARE * total;

type LateGraph = Pick<Graph, 'id' | 'baselinedAt' | 'bucketMs'> & { readonly accountId: number };

/** The values that plots of traffic show, and the value that gives the scale of their plot. */
const SCALES = { bytes: 'bytes', requests: 'requests', failed: 'requests' } as const;
const VALUES = Object.keys(SCALES) as (keyof typeof SCALES)[];
type Sums = Record<keyof typeof SCALES, number>;

/** All operations must run inside a transaction. */
export const createLateChanges = ({ sql }: Database) => {
  const insert = sql.prepare('INSERT INTO late_change VALUES (NULL, ?, ?, ?, ?, ?)');
  const remove = sql.prepare(
    'DELETE FROM late_change WHERE account_id = ? AND graph_id IS ? AND from_at = ?',
  );
  /** Replaces an earlier change of the same time, so that data that changes again and again needs no more space. */
  const put = (accountId: number, graph: number | null, { from, to }: TimeRange, now: number): void => {
    remove.run(accountId, graph, from);
    insert.run(accountId, graph, from, to, now);
  };
  return {
    /** Stores that a row of the ledger of this day changed. */
    noteLedgerDay: (
      accountId: number,
      day: TimeRange,
      [before, after]: readonly [before: number, after: number],
      now: number,
    ): void => {
      if (isVisible(Math.abs(after - before), Math.max(before, after))) put(accountId, null, day, now);
    },
    /** Collects the changes of a window. `unread` are the ranges that were not read before. */
    ofWindow: (graph: LateGraph, { settledUntil = 0, now }: BucketWindow, unread: readonly TimeRange[]) => {
      const byHour = new Map<number, Sums>();
      const isSettled = (from: number, to: number): boolean =>
        graph.baselinedAt !== null && to <= settledUntil && !overlaps(unread, from, to);
      return {
        note: (before: Bucket | undefined, after: Bucket): void => {
          if (!isSettled(after.at, after.at + graph.bucketMs)) return;
          addTo(byHour, after.at, (name) => Math.abs((after[name] ?? 0) - (before?.[name] ?? 0)));
        },
        /** `buckets` are those of the window, as they are now. */
        store: (buckets: Iterable<Bucket>): void => {
          if (byHour.size === 0) return;
          const totals = new Map<number, Sums>();
          for (const bucket of buckets) addTo(totals, bucket.at, (name) => bucket[name] ?? 0);
          const visible = [...byHour].filter(([hour, sums]) =>
            VALUES.some((name) => isVisible(sums[name], totals.get(hour)?.[SCALES[name]] ?? 0)),
          );
          for (const range of joined(visible.map(([hour]) => hour)))
            put(graph.accountId, graph.id, range, now);
        },
      };
    },
  };
};

const addTo = (byHour: Map<number, Sums>, at: number, of: (name: keyof Sums) => number): void => {
  const hour = at - (at % HOUR);
  const sums = byHour.get(hour) ?? { bytes: 0, requests: 0, failed: 0 };
  for (const name of VALUES) sums[name] += of(name);
  byHour.set(hour, sums);
};

/** Joins hours that follow each other. */
const joined = (hours: readonly number[]): TimeRange[] => {
  const ranges: { from: number; to: number }[] = [];
  for (const hour of hours.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last?.to === hour) last.to = hour + HOUR;
    else ranges.push({ from: hour, to: hour + HOUR });
  }
  return ranges;
};
