// Stores the gaps of graphs: ranges of time that are still to be read.

import { afterFailure, type Gap, type TimeRange, totalLengthMs, withoutRange, withRange } from '../../gap.ts';
import type { Database } from '../file/database.ts';

/** All operations must run inside a transaction. */
interface GraphGaps {
  of(graph: number): Gap[];
  open(graph: number, range: TimeRange): void;
  close(graph: number, range: TimeRange): void;
  recordFailure(graph: number, range: TimeRange, at: number): void;
  /** Drops all gap time before `before` (ms). Returns the length of the dropped time (ms). */
  drop(graph: number, before: number): number;
  clear(graph: number): void;
}

export const createGraphGaps = ({ sql }: Database): GraphGaps => {
  const gapsOf = sql.prepare<[number], Gap>(
    `SELECT from_at AS "from", to_at AS "to", tries, tried_at AS triedAt FROM graph_gap
     WHERE graph_id = ? ORDER BY from_at`,
  );
  const remove = sql.prepare('DELETE FROM graph_gap WHERE graph_id = ?');
  const insert = sql.prepare('INSERT INTO graph_gap VALUES (?, ?, ?, ?, ?)');

  const replace = (graph: number, change: (gaps: Gap[]) => Gap[]): void => {
    const before = gapsOf.all(graph);
    const after = change(before);
    if (before.length === 0 && after.length === 0) return;
    remove.run(graph);
    for (const { from, to, tries, triedAt } of after) insert.run(graph, from, to, tries, triedAt);
  };

  return {
    of: (graph) => gapsOf.all(graph),
    open: (graph, range) => replace(graph, (gaps) => withRange(gaps, range)),
    close: (graph, range) => replace(graph, (gaps) => withoutRange(gaps, range)),
    recordFailure: (graph, range, at) => replace(graph, (gaps) => afterFailure(gaps, range, at)),
    drop: (graph, before) => {
      const gaps = gapsOf.all(graph);
      const remaining = withoutRange(gaps, { from: Number.NEGATIVE_INFINITY, to: before });
      const droppedMs = totalLengthMs(gaps) - totalLengthMs(remaining);
      if (droppedMs > 0) replace(graph, () => remaining);
      return droppedMs;
    },
    clear: (graph) => {
      remove.run(graph);
    },
  };
};
