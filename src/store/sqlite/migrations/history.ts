// Adds history: buckets rolled up by hour and by day, and the growth of proxy users' usage.

export const HISTORY = `
-- Of the provider's datetimes: hours and days of the history begin on its boundaries.
ALTER TABLE graph ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';

-- What was rolled up, older than any row in bucket; tier is hourly or daily, concurrency_ms is how long
-- concurrency_average is of.
CREATE TABLE old_bucket (
  graph_id INTEGER NOT NULL REFERENCES graph (id),
  tier TEXT NOT NULL,
  at INTEGER NOT NULL,
  width_ms INTEGER NOT NULL,
  bytes INTEGER,
  requests INTEGER,
  successful INTEGER,
  failed INTEGER,
  smartpath_bytes INTEGER,
  smartpath_requests INTEGER,
  smartpath_money_saved REAL,
  concurrency_average REAL,
  concurrency_max REAL,
  concurrency_ms INTEGER NOT NULL,
  PRIMARY KEY (graph_id, tier, at)
) STRICT, WITHOUT ROWID;

-- Growth of all proxy users' used bytes, seen in (since, until]; tier is raw (a listing), hourly or daily.
CREATE TABLE user_usage (
  account_id INTEGER NOT NULL REFERENCES account (id),
  tier TEXT NOT NULL,
  until INTEGER NOT NULL,
  product_type TEXT NOT NULL,
  since INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, tier, until, product_type)
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_by_date ON ledger (account_id, period_date);

-- Holds those that are gone alone, so that a poll pays nothing for it.
CREATE INDEX gone_user ON proxy_user (account_id, gone_since) WHERE gone_since IS NOT NULL;
`;
