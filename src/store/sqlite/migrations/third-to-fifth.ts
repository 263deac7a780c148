// Holds the migrations of three early releases.

import { add } from './schema.ts';

/** Adds reasons of faults, alerts with their queue, and values of stored items that no metric shows. */
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

/** Adds endpoints, prices of test calls, gaps of graphs, and listings that take several runs. */
export const FOURTH = `
CREATE TABLE endpoint (
  account_id INTEGER NOT NULL REFERENCES account (id), endpoint TEXT NOT NULL, last_success_at INTEGER,
  rejected_since INTEGER, rejected_status INTEGER, refused_since INTEGER, paused_until INTEGER,
  PRIMARY KEY (account_id, endpoint)
) WITHOUT ROWID;
-- Attempts in a row that nobody answered: the first and the newest (ms).
${add('account', `unreached_since INTEGER, unreached_at INTEGER`)}

CREATE INDEX ledger_by_date ON ledger (account_id, period_date, id);

-- One row, from before the first of the slices until after the last; began_at is the time (ms) they bring things to.
CREATE TABLE clock_step (
  id INTEGER PRIMARY KEY CHECK (id = 1), began_at INTEGER NOT NULL
) STRICT;

-- The highest price of a call (runs) on each of the last days (at, midnight UTC) that had one. price_key tells what was
-- tested: other targets and testers cost something else.
DROP TABLE test_call;
CREATE TABLE test_price (
  account_id INTEGER NOT NULL REFERENCES account (id), at INTEGER NOT NULL, price_key TEXT NOT NULL,
  runs INTEGER NOT NULL, PRIMARY KEY (account_id, at)
) STRICT, WITHOUT ROWID;
-- How many proxies fail at a url while nothing tells whose fault it is, as of the last round of tests with results.
CREATE TABLE inconclusive (
  account_id INTEGER NOT NULL REFERENCES account (id), url TEXT NOT NULL, proxies INTEGER NOT NULL,
  reason TEXT NOT NULL, PRIMARY KEY (account_id, url)
) STRICT, WITHOUT ROWID;
-- Times (ms) of which nothing is known, as an older file took the place of the store.
CREATE TABLE lost_time (
  began_at INTEGER PRIMARY KEY, ended_at INTEGER NOT NULL
) STRICT;
-- Since when (ms) a proxy is known under its source.
ALTER TABLE target ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
UPDATE target SET since = coalesce((SELECT max(finished_at) FROM run WHERE account_id = target.account_id), 0);

-- Ranges [from_at, to_at) (ms) that were not read though later ones were.
CREATE TABLE graph_gap (
  graph_id INTEGER NOT NULL REFERENCES graph (id), from_at INTEGER NOT NULL, to_at INTEGER NOT NULL,
  tries INTEGER NOT NULL, tried_at INTEGER, PRIMARY KEY (graph_id, from_at)
) STRICT, WITHOUT ROWID;
-- End (ms) of what was still to be read when the baseline was set: read later, it is a starting point all the same.
ALTER TABLE graph ADD COLUMN history_until INTEGER;
-- Parts of the last run that did not fail as a whole which fail.
ALTER TABLE run ADD COLUMN failing_parts INTEGER NOT NULL DEFAULT 0;

-- began_at: when the first page was asked for, of this epoch. counted: the newest listing that saw all but what moved.
-- completing: when the listing began whose misses are being counted, slice by slice.
${add('listing', `began_at INTEGER, counted_started_at INTEGER, counted_at INTEGER, completing INTEGER`)}
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

/** Renames tables, columns and indexes to the terms of the documentation, and marks accounts in deletion by that word. */
export const FIFTH = `
-- Complete listings in a row without the item, and when the newest of those listings began (ms).
ALTER TABLE proxy_user RENAME COLUMN missed TO missed_listings;
ALTER TABLE proxy_user RENAME COLUMN missed_in TO missed_in_listing;
ALTER TABLE inventory_proxy RENAME COLUMN missed TO missed_listings;
ALTER TABLE inventory_proxy RENAME COLUMN missed_in TO missed_in_listing;
ALTER TABLE product RENAME COLUMN missed TO missed_listings;
ALTER TABLE place RENAME COLUMN missed TO missed_listings;

DROP INDEX gone_user;
ALTER TABLE proxy_user RENAME COLUMN gone_since TO removed_since;
CREATE INDEX removed_user ON proxy_user (account_id, removed_since) WHERE removed_since IS NOT NULL;
-- JSON: when the first listing began of those in a row that lack a value, by the value's column.
ALTER TABLE proxy_user RENAME COLUMN lapses TO expired_values;
-- JSON: what a later listing may still correct about the user's usage.
ALTER TABLE proxy_user RENAME COLUMN unsettled TO unsettled_usage;

-- Rows of the newest counted listing that never decoded.
ALTER TABLE listing RENAME COLUMN unread TO undecoded_rows;
-- When the listing began (ms) whose missing items are being counted, slice by slice.
ALTER TABLE listing RENAME COLUMN completing TO completing_started_at;
ALTER TABLE run RENAME COLUMN pass_ms TO whole_listing_ms;
-- Answers in a row that the service does not exist.
ALTER TABLE service RENAME COLUMN not_found TO not_found_answers;

ALTER TABLE ledger_pace RENAME TO ledger_rates;

-- Time zone and parameter names of a graph's requests; if they change, its rows start again.
ALTER TABLE graph RENAME COLUMN reading TO request_format;
ALTER TABLE old_bucket RENAME TO rolled_up_bucket;
ALTER TABLE rolled_up_bucket RENAME COLUMN tier TO resolution;
ALTER TABLE user_usage RENAME COLUMN tier TO resolution;

-- Proxies that sources found; targets are the URLs that proxies are tested against.
ALTER TABLE target RENAME TO source_proxy;
-- What the newest result said about the proxy, as a JSON list.
ALTER TABLE tested_proxy RENAME COLUMN seen TO observation;
ALTER TABLE inconclusive RENAME TO inconclusive_failure;
-- Periods that are missing from the store, because an older file replaced it.
ALTER TABLE lost_time RENAME TO missing_period;

DROP INDEX notice_by_receiver;
ALTER TABLE notice RENAME TO notification;
CREATE INDEX notification_by_receiver ON notification (receiver, number);
ALTER TABLE probe RENAME TO write_check;

-- Accounts that are being deleted.
UPDATE account SET name = 'deleted/' || substr(name, length('gone/') + 1) WHERE name LIKE 'gone/%';
`;
