// Adds prices of test calls by day, inconclusive failures, and missing periods of the store.

export const TEST_PRICES = `
-- The highest price of a call (runs) on each of the last days (at, midnight UTC) that had one. price_key tells what was
-- tested: other targets and testers cost something else.
DROP TABLE test_call;
CREATE TABLE test_price (
  account_id INTEGER NOT NULL REFERENCES account (id),
  at INTEGER NOT NULL,
  price_key TEXT NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (account_id, at)
) STRICT, WITHOUT ROWID;

-- How many proxies fail at a url while nothing tells whose fault it is, as of the last round of tests with results.
CREATE TABLE inconclusive (
  account_id INTEGER NOT NULL REFERENCES account (id),
  url TEXT NOT NULL,
  proxies INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (account_id, url)
) STRICT, WITHOUT ROWID;

-- Times (ms) of which nothing is known, as an older file took the place of the store.
CREATE TABLE lost_time (
  began_at INTEGER PRIMARY KEY,
  ended_at INTEGER NOT NULL
) STRICT;

-- Since when (ms) a proxy is known under its source.
ALTER TABLE target ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
UPDATE target SET since = coalesce((SELECT max(finished_at) FROM run WHERE account_id = target.account_id), 0);
`;
