// Adds what a start must know so that it does not hide what fails: since when backups are scheduled, and since when a
// receiver of remote write refuses everything.

export const KNOWN_FAILURES = `
-- One row. schedule is empty while no backups are scheduled.
CREATE TABLE backup_schedule (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schedule TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;

-- refusing_since is null unless the receiver refused all samples of the newest batch.
ALTER TABLE remote_write_receiver ADD COLUMN refusing_since INTEGER;
UPDATE remote_write_receiver SET refusing_since = start WHERE accepted = 0 AND refused > 0;
`;
