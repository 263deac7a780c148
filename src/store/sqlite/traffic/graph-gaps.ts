// Statements of the gaps of graphs: time that is still to be read.

import { afterFailure, type Gap, lengthOf, type TimeRange, withoutRange, withRange } from '../../gap.ts';
import type { Database } from '../file/database.ts';

/** Inside of a transaction, all of them. */
export interface GraphGaps {
  of(graph: number): Gap[];
  opened(graph: number, range: TimeRange): void;
  closed(graph: number, range: TimeRange): void;
  failed(graph: number, range: TimeRange, at: number): void;
  /** Drops all gap time before `before`; returns how much that is (ms). */
  dropped(graph: number, before: number): number;
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
    opened: (graph, range) => replace(graph, (gaps) => withRange(gaps, range)),
    closed: (graph, range) => replace(graph, (gaps) => withoutRange(gaps, range)),
    failed: (graph, range, at) => replace(graph, (gaps) => afterFailure(gaps, range, at)),
    dropped: (graph, before) => {
      const gaps = gapsOf.all(graph);
      const left = withoutRange(gaps, { from: Number.NEGATIVE_INFINITY, to: before });
      const lostMs = lengthOf(gaps) - lengthOf(left);
      if (lostMs > 0) replace(graph, () => left);
      return lostMs;
    },
    clear: (graph) => {
      remove.run(graph);
    },
  };
};
