// Adds purchased services.

export const SERVICES = `
-- With a rowid, as proxy_user: rows are updated in place. answered_at is null where only not_found was ever heard;
-- not_found counts those answers in a row. line_items and proxies (by status) are JSON; null where they are not known.
CREATE TABLE service (
  rowid INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  id TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  answered_at INTEGER,
  not_found INTEGER NOT NULL DEFAULT 0,
  name TEXT,
  product_type TEXT,
  protocol TEXT,
  status TEXT,
  country_id TEXT,
  cycle TEXT,
  quantity INTEGER,
  price REAL,
  is_paused INTEGER,
  is_pending_cancellation INTEGER,
  is_automatic_collection INTEGER,
  has_open_invoice INTEGER,
  expires_at INTEGER,
  earliest_cancellation_at INTEGER,
  line_items TEXT,
  proxies TEXT,
  UNIQUE (account_id, id)
) STRICT;
`;
