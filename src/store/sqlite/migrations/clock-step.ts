// Adds the mark of a running correction of future times, so that it continues after a kill.

export const CLOCK_STEP = `
-- One row, from before the first of the slices until after the last; began_at is the time (ms) they bring things to.
CREATE TABLE clock_step (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  began_at INTEGER NOT NULL
) STRICT;
`;
