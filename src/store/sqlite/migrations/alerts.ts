// Adds tables for alerts and for the notifications that are queued for receivers.

export const ALERTS = `
-- By names and not by account_id: alerts of an account that is configured no more end, and are told of, like any other.
-- account is empty for the daemon's own; labels are JSON, sorted by name; value is null where it is no number.
CREATE TABLE alert (
  account TEXT NOT NULL,
  alert TEXT NOT NULL,
  labels TEXT NOT NULL,
  severity TEXT NOT NULL,
  value REAL,
  since INTEGER NOT NULL,
  firing_since INTEGER,
  absent_since INTEGER,
  ended_at INTEGER,
  PRIMARY KEY (account, alert, labels)
) STRICT, WITHOUT ROWID;

-- Who has been told of all that fires.
CREATE TABLE receiver (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- body is JSON.
CREATE TABLE notice (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  receiver TEXT NOT NULL REFERENCES receiver (name),
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX notice_by_receiver ON notice (receiver, number);
`;
