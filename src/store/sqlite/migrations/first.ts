// Creates the first schema. Stores with it exist, so each change is a migration of its own.

export const FIRST = `
CREATE TABLE account (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, customer_id INTEGER
) STRICT;
-- Written to find out whether the store takes writes.
CREATE TABLE probe (
  id INTEGER PRIMARY KEY, writes INTEGER NOT NULL
) STRICT;
-- How far a collector's listing of an account has come.
CREATE TABLE listing (
  account_id INTEGER NOT NULL REFERENCES account (id), collector TEXT NOT NULL, baselined_at INTEGER,
  complete_started_at INTEGER, complete_at INTEGER, stored_at INTEGER, PRIMARY KEY (account_id, collector)
) STRICT, WITHOUT ROWID;
CREATE TABLE run (
  account_id INTEGER NOT NULL REFERENCES account (id), collector TEXT NOT NULL, started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL, result TEXT NOT NULL, error_kind TEXT, error_message TEXT,
  interval_ms INTEGER NOT NULL, last_success_at INTEGER, failures INTEGER NOT NULL,
  PRIMARY KEY (account_id, collector)
) STRICT, WITHOUT ROWID;
-- Counters of revisable rows; owner is the graph or the ledger's reason. Money may be fractional, hence REAL.
CREATE TABLE counter (
  owner TEXT NOT NULL, name TEXT NOT NULL, net REAL NOT NULL, served REAL NOT NULL, held_until INTEGER NOT NULL,
  PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE graph (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), name TEXT NOT NULL,
  slice TEXT NOT NULL, reading TEXT NOT NULL, bucket_ms INTEGER NOT NULL, floor INTEGER NOT NULL,
  baselined_at INTEGER, watermark INTEGER, read_at INTEGER, deep_read_at INTEGER, UNIQUE (account_id, name)
) STRICT;
CREATE TABLE bucket (
  graph_id INTEGER NOT NULL REFERENCES graph (id), at INTEGER NOT NULL, bytes INTEGER, requests INTEGER,
  successful INTEGER, failed INTEGER, smartpath_bytes INTEGER, smartpath_requests INTEGER,
  smartpath_money_saved REAL, concurrency_average REAL, concurrency_max REAL, PRIMARY KEY (graph_id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger (
  account_id INTEGER NOT NULL REFERENCES account (id), id TEXT NOT NULL, reason TEXT NOT NULL, service_id TEXT,
  period_date TEXT NOT NULL, added_bytes INTEGER NOT NULL, used_bytes INTEGER NOT NULL,
  requests INTEGER NOT NULL, PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
-- Pace of use by service; the empty one is the whole account. used_bytes is the sum it was last taken from.
CREATE TABLE ledger_pace (
  account_id INTEGER NOT NULL REFERENCES account (id), service_id TEXT NOT NULL, used_bytes INTEGER NOT NULL,
  since INTEGER NOT NULL, at INTEGER NOT NULL, hour REAL NOT NULL, day REAL NOT NULL, week REAL NOT NULL,
  PRIMARY KEY (account_id, service_id)
) STRICT, WITHOUT ROWID;
-- With a rowid: rows are too long for pages of 1 KB to hold many, and are updated in place.
CREATE TABLE proxy_user (
  rowid INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), id TEXT NOT NULL,
  access_type TEXT NOT NULL, is_default INTEGER NOT NULL, is_deleted INTEGER NOT NULL,
  strict_security INTEGER NOT NULL, enforce_https INTEGER NOT NULL, held_until INTEGER NOT NULL,
  missed INTEGER NOT NULL DEFAULT 0, gone_since INTEGER, residential_limit INTEGER, residential_used INTEGER,
  residential_net INTEGER NOT NULL, residential_served INTEGER NOT NULL,
  residential_rated_since INTEGER NOT NULL, residential_rated_at INTEGER NOT NULL,
  residential_hour_rate REAL NOT NULL, residential_day_rate REAL NOT NULL, residential_week_rate REAL NOT NULL,
  mobile_limit INTEGER, mobile_used INTEGER, mobile_net INTEGER NOT NULL, mobile_served INTEGER NOT NULL,
  mobile_rated_since INTEGER NOT NULL, mobile_rated_at INTEGER NOT NULL, mobile_hour_rate REAL NOT NULL,
  mobile_day_rate REAL NOT NULL, mobile_week_rate REAL NOT NULL, UNIQUE (account_id, id)
) STRICT;
-- Proxies that sources of the configuration found. Of those that the operator alone speaks of there are no facts.
CREATE TABLE target (
  account_id INTEGER NOT NULL REFERENCES account (id), source TEXT NOT NULL, id TEXT NOT NULL,
  name TEXT NOT NULL, provider_id TEXT, product_type TEXT NOT NULL, protocol TEXT NOT NULL, host TEXT NOT NULL,
  port INTEGER NOT NULL, username TEXT NOT NULL, status TEXT, address TEXT, country_id TEXT, city_name TEXT,
  asn_id TEXT, asn_name TEXT, subnet_id TEXT, service_id TEXT, PRIMARY KEY (account_id, source, id)
) STRICT, WITHOUT ROWID;
-- Proxies, urls and testers stand in many rows: each as a number.
CREATE TABLE subject (
  id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE test_cell (
  account_id INTEGER NOT NULL REFERENCES account (id), proxy INTEGER NOT NULL REFERENCES subject (id),
  url INTEGER NOT NULL REFERENCES subject (id), tester INTEGER NOT NULL REFERENCES subject (id),
  error_source TEXT, error_code TEXT, response_time_ms REAL, at INTEGER NOT NULL, results INTEGER NOT NULL,
  successes INTEGER NOT NULL, held_until INTEGER NOT NULL, history INTEGER NOT NULL,
  PRIMARY KEY (account_id, proxy, url, tester)
) STRICT, WITHOUT ROWID;
CREATE TABLE tested_proxy (
  account_id INTEGER NOT NULL REFERENCES account (id), proxy INTEGER NOT NULL REFERENCES subject (id),
  last_tested_at INTEGER NOT NULL, failing_rounds INTEGER NOT NULL, PRIMARY KEY (account_id, proxy)
) STRICT, WITHOUT ROWID;
CREATE TABLE test_failure (
  account_id INTEGER NOT NULL REFERENCES account (id), proxy INTEGER NOT NULL REFERENCES subject (id),
  error_source TEXT NOT NULL, count INTEGER NOT NULL, held_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, proxy, error_source)
) STRICT, WITHOUT ROWID;
CREATE TABLE test_error (
  account_id INTEGER NOT NULL REFERENCES account (id), url INTEGER NOT NULL REFERENCES subject (id),
  tester INTEGER NOT NULL REFERENCES subject (id), error_source TEXT NOT NULL, error_code TEXT NOT NULL,
  count INTEGER NOT NULL, held_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, url, tester, error_source, error_code)
) STRICT, WITHOUT ROWID;
-- counts: a JSON list of cumulative counts, one for each bound.
CREATE TABLE test_response_time (
  account_id INTEGER NOT NULL REFERENCES account (id), url INTEGER NOT NULL REFERENCES subject (id),
  tester INTEGER NOT NULL REFERENCES subject (id), counts TEXT NOT NULL, sum_ms REAL NOT NULL,
  count INTEGER NOT NULL, held_until INTEGER NOT NULL, PRIMARY KEY (account_id, url, tester)
) STRICT, WITHOUT ROWID;
-- Results within an hour, or the 24 of a day (UTC), of a proxy and url, of a url, and of a tester; 0 stands for all.
CREATE TABLE test_sum (
  account_id INTEGER NOT NULL REFERENCES account (id), hours INTEGER NOT NULL, first_hour INTEGER NOT NULL,
  proxy INTEGER NOT NULL, url INTEGER NOT NULL, tester INTEGER NOT NULL, results INTEGER NOT NULL,
  successes INTEGER NOT NULL, sum_ms REAL NOT NULL,
  PRIMARY KEY (account_id, hours, first_hour, proxy, url, tester)
) STRICT, WITHOUT ROWID;
-- The newest failed results, numbered in the order they came.
CREATE TABLE recent_failure (
  account_id INTEGER NOT NULL REFERENCES account (id), number INTEGER NOT NULL, at INTEGER NOT NULL,
  proxy INTEGER NOT NULL, url INTEGER NOT NULL, tester INTEGER NOT NULL, error_source TEXT, error_code TEXT,
  PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE test_call (
  account_id INTEGER PRIMARY KEY REFERENCES account (id), dearest_runs INTEGER NOT NULL
) STRICT;
CREATE TABLE test_spend (
  account_id INTEGER NOT NULL REFERENCES account (id), at INTEGER NOT NULL, runs INTEGER NOT NULL,
  PRIMARY KEY (account_id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE fault (
  account_id INTEGER NOT NULL REFERENCES account (id), kind TEXT NOT NULL, subject TEXT NOT NULL,
  since INTEGER NOT NULL, PRIMARY KEY (account_id, kind, subject)
) STRICT, WITHOUT ROWID;
`;
