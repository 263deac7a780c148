// Adds state for listings that take several runs, for falls of a user's usage, and for counting missing items in slices.

export const LISTING_PASSES = `
-- began_at: when the first page was asked for, of this epoch. counted: the newest listing that saw all but what moved.
-- completing: when the listing began whose misses are being counted, slice by slice.
ALTER TABLE listing ADD COLUMN began_at INTEGER;
ALTER TABLE listing ADD COLUMN counted_started_at INTEGER;
ALTER TABLE listing ADD COLUMN counted_at INTEGER;
ALTER TABLE listing ADD COLUMN completing INTEGER;
UPDATE listing SET began_at = baselined_at, counted_started_at = complete_started_at, counted_at = complete_at;
-- JSON: what of the use may yet turn out otherwise; see unsettled.ts.
ALTER TABLE proxy_user ADD COLUMN unsettled TEXT;
-- When the listing began that counted the newest miss.
ALTER TABLE proxy_user ADD COLUMN missed_in INTEGER;
ALTER TABLE inventory_proxy ADD COLUMN missed_in INTEGER;
UPDATE proxy_user SET unsettled = '{"restarts":true}' WHERE account_id IN
  (SELECT account_id FROM listing WHERE collector = 'proxy_users' AND baselined_at IS NULL);
-- How long the last whole reading took, over all its runs.
ALTER TABLE run ADD COLUMN pass_ms INTEGER NOT NULL DEFAULT 0;
`;
