// Adds the identity and number of a store, which reveal an older file and so begin an epoch of the counters.

export const EPOCH = `
-- One row, made when the store is first opened. sequence counts what may have been shown of the store; began_at is
-- when its counters last began at 0, null where that was before this table; is_restored asks for a new epoch.
CREATE TABLE epoch (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  store_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  began_at INTEGER,
  is_restored INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Outcomes in the history: results, which begins anew with an epoch, does not tell how many they are.
ALTER TABLE test_cell ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
UPDATE test_cell SET rounds = min(results, 8);
`;
