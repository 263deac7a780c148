// Adds the account's proxies by their last listing, and their changes.

export const INVENTORY = `
-- With a rowid, as proxy_user: rows are updated in place. missed counts complete listings in a row without the proxy.
CREATE TABLE inventory_proxy (
  rowid INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  id TEXT NOT NULL,
  product_type TEXT,
  protocol TEXT,
  status TEXT,
  address TEXT,
  http_port INTEGER,
  socks5_port INTEGER,
  subnet_id TEXT,
  asn_id INTEGER,
  asn_name TEXT,
  city_id INTEGER,
  city_name TEXT,
  country_id TEXT,
  service_id TEXT,
  missed INTEGER NOT NULL DEFAULT 0,
  UNIQUE (account_id, id)
) STRICT;

-- A number is never given twice, so that a reader may go on after the last one it has seen.
CREATE TABLE inventory_change (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  at INTEGER NOT NULL,
  change TEXT NOT NULL,
  proxy_id TEXT NOT NULL,
  before TEXT,
  after TEXT
) STRICT;

CREATE INDEX inventory_change_of_account ON inventory_change (account_id, number);
`;
