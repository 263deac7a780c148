// Describes the tables of traffic. Future times of graphs are corrected in future-graph-times.ts.

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
} as const satisfies Tables;
