// Adds products, quotes of configured orders, and places.

export const MARKET_AND_PLACES = `
CREATE TABLE product (
  account_id INTEGER NOT NULL REFERENCES account (id),
  code TEXT NOT NULL,
  name TEXT,
  type TEXT,
  protocol TEXT,
  country_id TEXT,
  is_available INTEGER,
  stock INTEGER,
  missed INTEGER NOT NULL,
  PRIMARY KEY (account_id, code)
) STRICT, WITHOUT ROWID;

-- terms: what was ordered, as JSON; money in the provider's unit, which may be fractional.
CREATE TABLE quote (
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  terms TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  price REAL,
  list_price REAL,
  discount REAL,
  credit_balance REAL,
  answered_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE place (
  account_id INTEGER NOT NULL REFERENCES account (id),
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT,
  nodes INTEGER,
  ip_addresses INTEGER,
  missed INTEGER NOT NULL,
  PRIMARY KEY (account_id, kind, id)
) STRICT, WITHOUT ROWID;
`;
