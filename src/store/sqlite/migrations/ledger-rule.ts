// Adds the bytes of ledger rows as given, the rule that was applied to them, and the number of undecoded rows.

export const LEDGER_RULE = `
ALTER TABLE account ADD COLUMN ledger_rule TEXT;
ALTER TABLE listing ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;

ALTER TABLE ledger RENAME TO ledger_before;
-- bytes: as given, null of rows that were stored before there was the column.
CREATE TABLE ledger (
  account_id INTEGER NOT NULL REFERENCES account (id),
  id TEXT NOT NULL,
  reason TEXT NOT NULL,
  service_id TEXT,
  period_date TEXT NOT NULL,
  bytes INTEGER,
  added_bytes INTEGER NOT NULL,
  used_bytes INTEGER NOT NULL,
  requests INTEGER,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger SELECT account_id, id, reason, service_id, period_date, NULL, added_bytes, used_bytes, requests
  FROM ledger_before;
DROP TABLE ledger_before;
`;
