// Adds the state of the provider's endpoints, which survives a restart.

export const ENDPOINTS = `
CREATE TABLE endpoint (
  account_id INTEGER NOT NULL REFERENCES account (id),
  endpoint TEXT NOT NULL,
  last_success_at INTEGER,
  rejected_since INTEGER,
  rejected_status INTEGER,
  refused_since INTEGER,
  paused_until INTEGER,
  PRIMARY KEY (account_id, endpoint)
) WITHOUT ROWID;
-- Attempts in a row that nobody answered: the first and the newest (ms).
ALTER TABLE account ADD COLUMN unreached_since INTEGER;
ALTER TABLE account ADD COLUMN unreached_at INTEGER;
`;
