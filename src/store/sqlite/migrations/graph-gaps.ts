// Time of graphs that is still to be read, and how many parts of a run fail.

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

-- Parts of the last run that did not fail as a whole which fail.
ALTER TABLE run ADD COLUMN failing_parts INTEGER NOT NULL DEFAULT 0;
`;
