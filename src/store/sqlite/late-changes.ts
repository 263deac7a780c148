// Stores which values changed after they had settled, if the change is large enough to be seen in a plot.

import { DAY, HOUR, type Range } from '../../lib/time.ts';
import { overlaps } from '../gap.ts';
import { LATE_ROWS_MS, type LedgerRow, publishedDate } from '../ledger-store.ts';
import type { Bucket, BucketWindow, Graph } from '../traffic-store.ts';
import type { Database } from './file/database.ts';
import type { LedgerTable } from './ledger/rows.ts';

/** Most data changes a little for days. A mark for each change would hide those that explain a jump. */
const MIN_SHARE = 0.05;

const isVisible = (change: number, total: number): boolean => change > 0 && change >= MIN_SHARE * total;

type LateGraph = Pick<Graph, 'id' | 'baselinedAt' | 'bucketMs'> & { readonly accountId: number };

/** The values that plots of traffic show, and the value that gives the scale of their plot. */
const SCALES = { bytes: 'bytes', requests: 'requests', failed: 'requests' } as const;
const VALUES = Object.keys(SCALES) as (keyof typeof SCALES)[];
type Sums = Record<keyof typeof SCALES, number>;

const MOVED = ['addedBytes', 'usedBytes'] as const;
type Moved = Record<(typeof MOVED)[number], number>;

/** All operations must run inside a transaction. */
export const createLateChanges = ({ sql }: Database) => {
  const movedOf = (table: LedgerTable) =>
    sql.prepare<[accountId: number, date: string], Moved>(
      `SELECT total(added_bytes) AS addedBytes, total(used_bytes) AS usedBytes FROM ${table}
       WHERE account_id = ? AND period_date = ?`,
    );
  const moved = { ledger: movedOf('ledger'), mobile_ledger: movedOf('mobile_ledger') };
  const insert = sql.prepare('INSERT INTO late_change VALUES (NULL, ?, ?, ?, ?, ?, ?)');
  const remove = sql.prepare(
    'DELETE FROM late_change WHERE account_id = ? AND graph_id IS ? AND ledger IS ? AND from_at = ?',
  );
  /** Replaces an earlier change of the same time, so that data that changes again and again needs no more space. */
  const put = (accountId: number, of: number | LedgerTable, { from, to }: Range, now: number): void => {
    const source = typeof of === 'number' ? [of, null] : [null, of];
    remove.run(accountId, ...source, from);
    insert.run(accountId, ...source, from, to, now);
  };
  return {
    /** Collects the changes of a page of a ledger. What had settled before `settledAt` changes late. */
    ofLedger: (table: LedgerTable, accountId: number, settledAt: number) => {
      const byDate = new Map<string, Moved>();
      return {
        /** A row that moves to another date changes both. */
        note: (before: (Moved & Pick<LedgerRow, 'periodDate'>) | undefined, after: LedgerRow): void => {
          const endMs = (after.periodEnd ?? Number.NaN) - publishedDate(after.periodDate);
          const add = (date: string, row: Moved, other?: Moved): void => {
            // Without an end, which is NaN here, nothing settles.
            if (!(publishedDate(date) + endMs + LATE_ROWS_MS <= settledAt)) return;
            const sums = byDate.get(date) ?? { addedBytes: 0, usedBytes: 0 };
            for (const name of MOVED) sums[name] += Math.abs(row[name] - (other?.[name] ?? 0));
            byDate.set(date, sums);
          };
          const isSameDate = before?.periodDate === after.periodDate;
          if (before && !isSameDate) add(before.periodDate, before);
          add(after.periodDate, after, isSameDate ? before : undefined);
        },
        store: (now: number): void => {
          for (const [date, sums] of byDate) {
            const [from, totals] = [publishedDate(date), moved[table].get(accountId, date)];
            if (MOVED.some((name) => isVisible(sums[name], totals?.[name] ?? 0)))
              put(accountId, table, { from, to: from + DAY }, now);
          }
        },
      };
    },
    /** Collects the changes of a window. `unread` are the ranges that were not read before. */
    ofWindow: (graph: LateGraph, { settledUntil = 0, now }: BucketWindow, unread: readonly Range[]) => {
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

const joined = (hours: readonly number[]): Range[] => {
  const ranges: { from: number; to: number }[] = [];
  for (const hour of hours.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last?.to === hour) last.to = hour + HOUR;
    else ranges.push({ from: hour, to: hour + HOUR });
  }
  return ranges;
};
