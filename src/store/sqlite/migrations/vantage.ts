// Adds what probes show beyond their results. The results are proxy tests of an account `probes/<name>`.

export const VANTAGE = `
-- error: phase and cause of the failure, null if the control succeeded; unreached_rounds: see StoredControl.
CREATE TABLE probe_control (
  account_id INTEGER NOT NULL REFERENCES account (id),
  url TEXT NOT NULL,
  is_successful INTEGER NOT NULL,
  failing_rounds INTEGER NOT NULL,
  unreached_rounds INTEGER NOT NULL,
  error TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, url)
) STRICT, WITHOUT ROWID;

-- counts: as in url_tester; at: when a probe was last counted.
CREATE TABLE probe_phase (
  account_id INTEGER NOT NULL REFERENCES account (id),
  url TEXT NOT NULL,
  phase TEXT NOT NULL,
  at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  sum_ms REAL NOT NULL,
  count INTEGER NOT NULL,
  held_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, url, phase)
) STRICT, WITHOUT ROWID;

-- The last failure of each proxy and url. request_id: for the provider's support.
CREATE TABLE probe_failure (
  account_id INTEGER NOT NULL REFERENCES account (id),
  proxy TEXT NOT NULL,
  url TEXT NOT NULL,
  at INTEGER NOT NULL,
  phase TEXT NOT NULL,
  cause TEXT NOT NULL,
  message TEXT NOT NULL,
  status INTEGER,
  code TEXT,
  request_id TEXT,
  PRIMARY KEY (account_id, proxy, url)
) STRICT, WITHOUT ROWID;

-- expected, seen: an address, or a country of a gateway; since: when is_mismatch last changed.
CREATE TABLE probe_exit (
  account_id INTEGER NOT NULL REFERENCES account (id),
  proxy TEXT NOT NULL,
  expected TEXT NOT NULL,
  seen TEXT NOT NULL,
  is_mismatch INTEGER NOT NULL,
  since INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, proxy)
) STRICT, WITHOUT ROWID;

-- Bytes of metered proxies by slot of ten minutes, those that are reserved included.
CREATE TABLE probe_spend (
  account_id INTEGER NOT NULL REFERENCES account (id),
  at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, at)
) STRICT, WITHOUT ROWID;
`;
