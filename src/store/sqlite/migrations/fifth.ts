// Renames tables, columns and indexes to the terms of the documentation, and marks accounts in deletion by that word.

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
