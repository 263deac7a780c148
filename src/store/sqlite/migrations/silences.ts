// Adds the table of silences.

export const SILENCES = `
-- account, alert and subject are null where the silence is not limited to one.
CREATE TABLE silence (
  id TEXT PRIMARY KEY,
  account TEXT,
  alert TEXT,
  subject TEXT,
  comment TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;
`;
