// Adds the provider's remaining fields of stored items, for the API.

export const REMAINING_FIELDS = `
-- Times by the provider's clock.
ALTER TABLE ledger ADD COLUMN adjustment_id INTEGER;
ALTER TABLE ledger ADD COLUMN created_at INTEGER;
ALTER TABLE ledger ADD COLUMN updated_at INTEGER;
-- users: how many there are; user_ids: JSON, the first few of them.
ALTER TABLE inventory_proxy ADD COLUMN address_v6 TEXT;
ALTER TABLE inventory_proxy ADD COLUMN address_id_v4 TEXT;
ALTER TABLE inventory_proxy ADD COLUMN address_id_v6 TEXT;
ALTER TABLE inventory_proxy ADD COLUMN subnet_id_v6 TEXT;
ALTER TABLE inventory_proxy ADD COLUMN line_item_id TEXT;
ALTER TABLE inventory_proxy ADD COLUMN updated_at INTEGER;
ALTER TABLE inventory_proxy ADD COLUMN users INTEGER;
ALTER TABLE inventory_proxy ADD COLUMN user_ids TEXT;
ALTER TABLE inventory_proxy ADD COLUMN latitude REAL;
ALTER TABLE inventory_proxy ADD COLUMN longitude REAL;
ALTER TABLE inventory_proxy ADD COLUMN example_postcode TEXT;
ALTER TABLE inventory_proxy ADD COLUMN time_zone TEXT;
ALTER TABLE inventory_proxy ADD COLUMN country_name TEXT;
ALTER TABLE inventory_proxy ADD COLUMN subdivision_id TEXT;
ALTER TABLE inventory_proxy ADD COLUMN subdivision_name TEXT;
ALTER TABLE service ADD COLUMN has_payment_method INTEGER;
-- Beside proxy_user, whose rows are written at most polls and are to stay short; details: a JSON list, see user-details.ts.
CREATE TABLE proxy_user_details (
  user INTEGER PRIMARY KEY REFERENCES proxy_user (rowid) ON DELETE CASCADE,
  details TEXT NOT NULL
) STRICT;
-- JSON; null where the answer was a refusal.
ALTER TABLE quote ADD COLUMN details TEXT;
-- What the newest result said of the proxy: a JSON list, see test-sightings.ts.
ALTER TABLE tested_proxy ADD COLUMN seen TEXT;
CREATE TABLE tester_place (
  account_id INTEGER NOT NULL REFERENCES account (id),
  tester INTEGER NOT NULL,
  city_id INTEGER,
  city_name TEXT,
  country_id TEXT,
  PRIMARY KEY (account_id, tester)
) STRICT, WITHOUT ROWID;
`;
