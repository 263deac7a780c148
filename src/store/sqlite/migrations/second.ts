// Adds the weekly profile of usage, epochs, packed tests, history, the market, the inventory and services.

import { add } from './schema.ts';

export const SECOND = `
${add('ledger_pace', `slot_bytes REAL, profile BLOB`)}
${add(
  'proxy_user',
  `residential_slot_bytes INTEGER, residential_profile BLOB, mobile_slot_bytes INTEGER, mobile_profile BLOB`,
)}
UPDATE proxy_user SET
  residential_hour_rate = round(residential_hour_rate * 3600),
  residential_day_rate = round(residential_day_rate * 86400),
  residential_week_rate = round(residential_week_rate * 604800),
  mobile_hour_rate = round(mobile_hour_rate * 3600),
  mobile_day_rate = round(mobile_day_rate * 86400),
  mobile_week_rate = round(mobile_week_rate * 604800);

-- One row, made when the store is first opened. sequence counts what may have been shown of the store; began_at is
-- when its counters last began at 0, null where that was before this table; is_restored asks for a new epoch.
CREATE TABLE epoch (
  id INTEGER PRIMARY KEY CHECK (id = 1), store_id TEXT NOT NULL, sequence INTEGER NOT NULL, began_at INTEGER,
  is_restored INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Outcomes in the history: results, which begins anew with an epoch, does not tell how many they are.
ALTER TABLE test_cell ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
UPDATE test_cell SET rounds = min(results, 8);

-- A row for each proxy and url, its testers' cells packed (see test-cell-pack.ts): a round writes a tenth of the rows.
-- Its results within an hour join those of test_sum when the hour has changed.
CREATE TABLE test_cells (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), proxy INTEGER NOT NULL,
  url INTEGER NOT NULL, at INTEGER NOT NULL, held_until INTEGER NOT NULL, cells TEXT NOT NULL,
  hour INTEGER NOT NULL DEFAULT 0, hour_results INTEGER NOT NULL DEFAULT 0,
  hour_successes INTEGER NOT NULL DEFAULT 0, hour_sum_ms REAL NOT NULL DEFAULT 0,
  UNIQUE (account_id, proxy, url)
) STRICT;
INSERT INTO test_cells (account_id, proxy, url, at, held_until, cells)
SELECT account_id, proxy, url, newest, first_held, json_group_array(
    iif(history & 1,
      json_array(tester, newest - at, response_time_ms, results, successes, held_until - first_held,
        history | (1 << rounds), error_source, error_code),
      json_array(tester, newest - at, response_time_ms, results, successes, held_until - first_held,
        history | (1 << rounds))))
FROM (SELECT *, max(at) OVER same AS newest, min(held_until) OVER same AS first_held FROM test_cell
  WINDOW same AS (PARTITION BY account_id, proxy, url))
GROUP BY account_id, proxy, url;
-- at: when a result of any kind was last stored. What never succeeded has a row too, its counts an empty list.
CREATE TABLE url_tester (
  account_id INTEGER NOT NULL REFERENCES account (id), url INTEGER NOT NULL, tester INTEGER NOT NULL,
  at INTEGER NOT NULL, counts TEXT NOT NULL, sum_ms REAL NOT NULL, count INTEGER NOT NULL,
  held_until INTEGER NOT NULL, PRIMARY KEY (account_id, url, tester)
) STRICT, WITHOUT ROWID;
INSERT INTO url_tester
SELECT cell.account_id, cell.url, cell.tester, max(cell.at), coalesce(counts, '[]'), coalesce(sum_ms, 0.0),
  coalesce(count, 0), coalesce(times.held_until, min(cell.held_until))
FROM test_cell cell LEFT JOIN test_response_time times USING (account_id, url, tester)
GROUP BY cell.account_id, cell.url, cell.tester;
DROP TABLE test_cell;
DROP TABLE test_response_time;
-- Subjects are referred to without a foreign key: else each that is forgotten would be looked for in whole tables.
CREATE TABLE new_tested_proxy (
  account_id INTEGER NOT NULL REFERENCES account (id), proxy INTEGER NOT NULL, last_tested_at INTEGER NOT NULL,
  failing_rounds INTEGER NOT NULL, PRIMARY KEY (account_id, proxy)
) STRICT, WITHOUT ROWID;
CREATE TABLE new_test_failure (
  account_id INTEGER NOT NULL REFERENCES account (id), proxy INTEGER NOT NULL, error_source TEXT NOT NULL,
  count INTEGER NOT NULL, held_until INTEGER NOT NULL, PRIMARY KEY (account_id, proxy, error_source)
) STRICT, WITHOUT ROWID;
CREATE TABLE new_test_error (
  account_id INTEGER NOT NULL REFERENCES account (id), url INTEGER NOT NULL, tester INTEGER NOT NULL,
  error_source TEXT NOT NULL, error_code TEXT NOT NULL, count INTEGER NOT NULL, held_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, url, tester, error_source, error_code)
) STRICT, WITHOUT ROWID;
INSERT INTO new_tested_proxy SELECT * FROM tested_proxy;
INSERT INTO new_test_failure SELECT * FROM test_failure;
INSERT INTO new_test_error SELECT * FROM test_error;
DROP TABLE tested_proxy;
DROP TABLE test_failure;
DROP TABLE test_error;
ALTER TABLE new_tested_proxy RENAME TO tested_proxy;
ALTER TABLE new_test_failure RENAME TO test_failure;
ALTER TABLE new_test_error RENAME TO test_error;

-- Of the provider's datetimes: hours and days of the history begin on its boundaries.
ALTER TABLE graph ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';
-- What was rolled up, older than any row in bucket; tier is hourly or daily, concurrency_ms is how long
-- concurrency_average is of.
CREATE TABLE old_bucket (
  graph_id INTEGER NOT NULL REFERENCES graph (id), tier TEXT NOT NULL, at INTEGER NOT NULL,
  width_ms INTEGER NOT NULL, bytes INTEGER, requests INTEGER, successful INTEGER, failed INTEGER,
  smartpath_bytes INTEGER, smartpath_requests INTEGER, smartpath_money_saved REAL, concurrency_average REAL,
  concurrency_max REAL, concurrency_ms INTEGER NOT NULL, PRIMARY KEY (graph_id, tier, at)
) STRICT, WITHOUT ROWID;
-- Growth of all proxy users' used bytes, seen in (since, until]; tier is raw (a listing), hourly or daily.
CREATE TABLE user_usage (
  account_id INTEGER NOT NULL REFERENCES account (id), tier TEXT NOT NULL, until INTEGER NOT NULL,
  product_type TEXT NOT NULL, since INTEGER NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, tier, until, product_type)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_by_date ON ledger (account_id, period_date);
-- Holds those that are gone alone, so that a poll pays nothing for it.
CREATE INDEX gone_user ON proxy_user (account_id, gone_since) WHERE gone_since IS NOT NULL;

-- JSON: when the first listing began of those in a row that lack a value, by the value's column.
ALTER TABLE proxy_user ADD COLUMN lapses TEXT;

ALTER TABLE account ADD COLUMN ledger_rule TEXT;
ALTER TABLE listing ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger RENAME TO ledger_before;
-- bytes: as given, null of rows that were stored before there was the column.
CREATE TABLE ledger (
  account_id INTEGER NOT NULL REFERENCES account (id), id TEXT NOT NULL, reason TEXT NOT NULL, service_id TEXT,
  period_date TEXT NOT NULL, bytes INTEGER, added_bytes INTEGER NOT NULL, used_bytes INTEGER NOT NULL,
  requests INTEGER, PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger SELECT account_id, id, reason, service_id, period_date, NULL, added_bytes, used_bytes, requests
  FROM ledger_before;
DROP TABLE ledger_before;

ALTER TABLE account ADD COLUMN conflicting_customer_id INTEGER;

CREATE TABLE product (
  account_id INTEGER NOT NULL REFERENCES account (id), code TEXT NOT NULL, name TEXT, type TEXT, protocol TEXT,
  country_id TEXT, is_available INTEGER, stock INTEGER, missed INTEGER NOT NULL, PRIMARY KEY (account_id, code)
) STRICT, WITHOUT ROWID;
-- terms: what was ordered, as JSON; money in the provider's unit, which may be fractional.
CREATE TABLE quote (
  account_id INTEGER NOT NULL REFERENCES account (id), name TEXT NOT NULL, terms TEXT NOT NULL,
  state TEXT NOT NULL, reason TEXT, price REAL, list_price REAL, discount REAL, credit_balance REAL,
  answered_at INTEGER NOT NULL, PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE place (
  account_id INTEGER NOT NULL REFERENCES account (id), kind TEXT NOT NULL, id TEXT NOT NULL, name TEXT,
  nodes INTEGER, ip_addresses INTEGER, missed INTEGER NOT NULL, PRIMARY KEY (account_id, kind, id)
) STRICT, WITHOUT ROWID;

-- With a rowid, as proxy_user: rows are updated in place. missed counts complete listings in a row without the proxy.
CREATE TABLE inventory_proxy (
  rowid INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), id TEXT NOT NULL,
  product_type TEXT, protocol TEXT, status TEXT, address TEXT, http_port INTEGER, socks5_port INTEGER,
  subnet_id TEXT, asn_id INTEGER, asn_name TEXT, city_id INTEGER, city_name TEXT, country_id TEXT,
  service_id TEXT, missed INTEGER NOT NULL DEFAULT 0, UNIQUE (account_id, id)
) STRICT;
-- A number is never given twice, so that a reader may go on after the last one it has seen.
CREATE TABLE inventory_change (
  number INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES account (id),
  at INTEGER NOT NULL, change TEXT NOT NULL, proxy_id TEXT NOT NULL, before TEXT, after TEXT
) STRICT;
CREATE INDEX inventory_change_of_account ON inventory_change (account_id, number);

-- With a rowid, as proxy_user: rows are updated in place. answered_at is null where only not_found was ever heard;
-- not_found counts those answers in a row. line_items and proxies (by status) are JSON; null where they are not known.
CREATE TABLE service (
  rowid INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), id TEXT NOT NULL,
  asked_at INTEGER NOT NULL, answered_at INTEGER, not_found INTEGER NOT NULL DEFAULT 0, name TEXT,
  product_type TEXT, protocol TEXT, status TEXT, country_id TEXT, cycle TEXT, quantity INTEGER, price REAL,
  is_paused INTEGER, is_pending_cancellation INTEGER, is_automatic_collection INTEGER, has_open_invoice INTEGER,
  expires_at INTEGER, earliest_cancellation_at INTEGER, line_items TEXT, proxies TEXT, UNIQUE (account_id, id)
) STRICT;

-- One row a pair of sources and day of the provider's zone; explained and hours are JSON.
CREATE TABLE reconciliation (
  account_id INTEGER NOT NULL REFERENCES account (id), pair TEXT NOT NULL, day_start INTEGER NOT NULL,
  date TEXT NOT NULL, first_bytes INTEGER NOT NULL, second_bytes INTEGER NOT NULL, explained TEXT NOT NULL,
  unexplained_bytes INTEGER NOT NULL, hours TEXT NOT NULL, reconciled_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, pair, day_start)
) STRICT, WITHOUT ROWID;
`;
