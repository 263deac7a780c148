// Adds reasons of faults, alerts with their queue, and values of stored items that no metric shows.

import { add } from './schema.ts';

export const THIRD = `
-- In words; empty until the next round of tests where the fault stood already.
ALTER TABLE fault ADD COLUMN reason TEXT NOT NULL DEFAULT '';

-- JSON of what the place's kind has.
ALTER TABLE place ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
-- JSON of a list; null where it is not known.
${add('product', `cycles TEXT, is_per_ip INTEGER`)}
${add(
  'service',
  `created_at INTEGER, updated_at INTEGER, dispatched_at INTEGER, is_reconfigurable INTEGER,
  promotional_code TEXT, subscription_id TEXT, subscription_schedule_id TEXT`,
)}

-- Since when (ms) runs are made without a gap of several intervals.
ALTER TABLE run ADD COLUMN watched_since INTEGER NOT NULL DEFAULT 0;
UPDATE run SET watched_since = started_at;
-- Items that did not decode, of the last run that did not fail.
ALTER TABLE run ADD COLUMN skipped_items INTEGER NOT NULL DEFAULT 0;

-- By names and not by account_id: alerts of an account that is configured no more end, and are told of, like any other.
-- account is empty for the daemon's own; labels are JSON, sorted by name; value is null where it is no number.
CREATE TABLE alert (
  account TEXT NOT NULL, alert TEXT NOT NULL, labels TEXT NOT NULL, severity TEXT NOT NULL, value REAL,
  since INTEGER NOT NULL, firing_since INTEGER, absent_since INTEGER, ended_at INTEGER,
  PRIMARY KEY (account, alert, labels)
) STRICT, WITHOUT ROWID;
-- Who has been told of all that fires.
CREATE TABLE receiver (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- body is JSON.
CREATE TABLE notice (
  number INTEGER PRIMARY KEY AUTOINCREMENT, receiver TEXT NOT NULL REFERENCES receiver (name), id TEXT NOT NULL,
  created_at INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX notice_by_receiver ON notice (receiver, number);

-- Times by the provider's clock.
${add('ledger', `adjustment_id INTEGER, created_at INTEGER, updated_at INTEGER`)}
-- users: how many there are; user_ids: JSON, the first few of them.
${add(
  'inventory_proxy',
  `address_v6 TEXT, address_id_v4 TEXT, address_id_v6 TEXT, subnet_id_v6 TEXT, line_item_id TEXT,
  updated_at INTEGER, users INTEGER, user_ids TEXT, latitude REAL, longitude REAL, example_postcode TEXT,
  time_zone TEXT, country_name TEXT, subdivision_id TEXT, subdivision_name TEXT`,
)}
ALTER TABLE service ADD COLUMN has_payment_method INTEGER;
-- Beside proxy_user, whose rows are written at most polls and are to stay short; details: a JSON list, see user-details.ts.
CREATE TABLE proxy_user_details (
  user INTEGER PRIMARY KEY REFERENCES proxy_user (rowid) ON DELETE CASCADE, details TEXT NOT NULL
) STRICT;
-- JSON; null where the answer was a refusal.
ALTER TABLE quote ADD COLUMN details TEXT;
-- What the newest result said of the proxy: a JSON list, see test-sightings.ts.
ALTER TABLE tested_proxy ADD COLUMN seen TEXT;
CREATE TABLE tester_place (
  account_id INTEGER NOT NULL REFERENCES account (id), tester INTEGER NOT NULL, city_id INTEGER, city_name TEXT,
  country_id TEXT, PRIMARY KEY (account_id, tester)
) STRICT, WITHOUT ROWID;
`;
