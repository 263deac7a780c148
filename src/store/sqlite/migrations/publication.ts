// Adds published history, its corrections, and how far the receivers of remote write are.

export const PUBLICATION = `
-- Rows of history before until are published. closed_until: rows before this time were deleted since, to be read again.
-- A batch that is on its way, and a running writer, name publications by id, so the id of a deleted one is never used again.
CREATE TABLE publication (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  source TEXT NOT NULL,
  subject TEXT NOT NULL,
  until INTEGER NOT NULL,
  closed_until INTEGER NOT NULL DEFAULT 0,
  UNIQUE (account_id, source, subject)
) STRICT;

-- What changed in published rows. differences: a JSON list with a number or null for each value of the row.
CREATE TABLE correction (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  publication_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  differences TEXT NOT NULL,
  UNIQUE (publication_id, at, revision)
) STRICT;

CREATE INDEX correction_by_time ON correction (account_id, at);

-- start: nothing before this time is sent; correction: the newest one that is sent. The other columns count samples.
CREATE TABLE remote_write_receiver (
  name TEXT PRIMARY KEY,
  start INTEGER NOT NULL,
  correction INTEGER NOT NULL,
  accepted INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  expired INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- at: the first published row that is not sent; start: as in remote_write_receiver. A moved account keeps its own start.
CREATE TABLE remote_write_position (
  receiver TEXT NOT NULL,
  publication_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES account (id),
  at INTEGER NOT NULL,
  start INTEGER NOT NULL,
  PRIMARY KEY (receiver, publication_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_write_position_by_account ON remote_write_position (account_id);
CREATE INDEX remote_write_position_by_stream ON remote_write_position (publication_id);

-- The batch that is on its way. next: the position behind it.
CREATE TABLE remote_write_batch (
  receiver TEXT PRIMARY KEY,
  body BLOB NOT NULL,
  samples INTEGER NOT NULL,
  next TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
`;
