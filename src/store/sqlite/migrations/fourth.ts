// Adds endpoints, prices of test calls, gaps of graphs, and listings that take several runs.

import { add } from './schema.ts';

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
