// Adds since when a collector runs without a gap, and how many items its last run skipped.

export const RUN_WATCH = `
-- Since when (ms) runs are made without a gap of several intervals.
ALTER TABLE run ADD COLUMN watched_since INTEGER NOT NULL DEFAULT 0;
UPDATE run SET watched_since = started_at;
-- Items that did not decode, of the last run that did not fail.
ALTER TABLE run ADD COLUMN skipped_items INTEGER NOT NULL DEFAULT 0;
`;
