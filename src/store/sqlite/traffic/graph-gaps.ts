// Describes the tables of traffic, and stores the gaps of graphs: ranges of time that are still to be read.

import type { Range } from '../../../lib/time.ts';
import { afterFailure, type Gap, totalLengthMs, withoutRange, withRange } from '../../gap.ts';
import type { Database } from '../file/database.ts';
import { OF_ACCOUNT, ofAccount, shifted, type Tables } from '../table.ts';

const ofGraphs = {
  where: `graph_id IN (SELECT id FROM source.graph WHERE ${OF_ACCOUNT})`,
  columns: { graph_id: shifted('graph_id', 'graph') },
};

export const TRAFFIC_TABLES = {
  graph: {
    // A graph is read again as far back as its configured history, because revisions since the file was current were
    // counted before and belong to the baseline.
    reset: 'UPDATE graph SET baselined_at = NULL, watermark = NULL, deep_read_at = NULL',
    highest: 'SELECT coalesce(max(id), 0) FROM main.graph',
    move: ofAccount({ id: shifted('id', 'graph') }),
  },
  bucket: { move: ofGraphs },
  rolled_up_bucket: { move: ofGraphs },
  // A graph is read again with its gaps.
  graph_gap: { reset: 'DELETE FROM graph_gap', move: ofGraphs },
  late_change: {
    times: ['from_at', 'to_at', 'read_at'],
    // The ledger keeps its days.
    expired: 'graph_id IS NOT NULL AND from_at < @oldest',
    move: ofAccount({ id: 'NULL', graph_id: shifted('graph_id', 'graph') }),
  },
} as const satisfies Tables;

/** All operations must run inside a transaction. */
export const createGraphGaps = ({ sql }: Database) => {
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
    of: (graph: number): Gap[] => gapsOf.all(graph),
    open: (graph: number, range: Range) => replace(graph, (gaps) => withRange(gaps, range)),
    close: (graph: number, range: Range) => replace(graph, (gaps) => withoutRange(gaps, range)),
    recordFailure: (graph: number, range: Range, at: number) =>
      replace(graph, (gaps) => afterFailure(gaps, range, at)),
    /** Drops all gap time before `before` (ms). Returns the length of the dropped time (ms). */
    drop: (graph: number, before: number): number => {
      const gaps = gapsOf.all(graph);
      const remaining = withoutRange(gaps, { from: Number.NEGATIVE_INFINITY, to: before });
      const droppedMs = totalLengthMs(gaps) - totalLengthMs(remaining);
      if (droppedMs > 0) replace(graph, () => remaining);
      return droppedMs;
    },
    clear: (graph: number): void => {
      remove.run(graph);
    },
  };
};
