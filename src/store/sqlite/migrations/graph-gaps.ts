// Adds gaps of graphs, which are still to be read, and the number of failing parts of a run.

export const GRAPH_GAPS = `
-- Ranges [from_at, to_at) (ms) that were not read though later ones were.
CREATE TABLE graph_gap (
  graph_id INTEGER NOT NULL REFERENCES graph (id),
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  tried_at INTEGER,
  PRIMARY KEY (graph_id, from_at)
) STRICT, WITHOUT ROWID;

-- End (ms) of what was still to be read when the baseline was set: read later, it is a starting point all the same.
ALTER TABLE graph ADD COLUMN history_until INTEGER;

-- Parts of the last run that did not fail as a whole which fail.
ALTER TABLE run ADD COLUMN failing_parts INTEGER NOT NULL DEFAULT 0;
`;
