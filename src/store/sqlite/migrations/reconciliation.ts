// Adds the results of the daily reconciliation.

export const RECONCILIATION = `
-- One row a pair of sources and day of the provider's zone; explained and hours are JSON.
CREATE TABLE reconciliation (
  account_id INTEGER NOT NULL REFERENCES account (id),
  pair TEXT NOT NULL,
  day_start INTEGER NOT NULL,
  date TEXT NOT NULL,
  first_bytes INTEGER NOT NULL,
  second_bytes INTEGER NOT NULL,
  explained TEXT NOT NULL,
  unexplained_bytes INTEGER NOT NULL,
  hours TEXT NOT NULL,
  reconciled_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, pair, day_start)
) STRICT, WITHOUT ROWID;
`;
