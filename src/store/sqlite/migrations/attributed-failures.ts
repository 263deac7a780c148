// Adds whose fault the failures of proxy tests are, and indexes for the filters of the inventory's changes.

export const ATTRIBUTED_FAILURES = `
-- How many failures of a sum are the fault of its own subject, and of others; null if failures were stored before this
-- was known.
ALTER TABLE test_sum ADD COLUMN own_failures INTEGER;
ALTER TABLE test_sum ADD COLUMN other_failures INTEGER;
ALTER TABLE test_cells ADD COLUMN hour_own_failures INTEGER;
ALTER TABLE test_cells ADD COLUMN hour_other_failures INTEGER;

-- The proxies whose failures a fault of a target explains, as JSON; null for all proxies.
ALTER TABLE fault ADD COLUMN scope TEXT;

CREATE INDEX inventory_change_by_time ON inventory_change (account_id, at);
CREATE INDEX inventory_change_by_proxy ON inventory_change (account_id, proxy_id, at);
CREATE INDEX inventory_change_by_kind ON inventory_change (account_id, change, at);
`;
