// Adds the moves of accounts between stores.

export const ACCOUNT_MOVE = `
-- The moves that the rows of an account took part in. is_out is 1 for the move that took the account out of this store:
-- the account then belongs to another store. By name and not by account_id, because the row must outlive the others.
CREATE TABLE account_move (
  account TEXT NOT NULL,
  move_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  is_out INTEGER NOT NULL,
  PRIMARY KEY (account, move_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX account_move_out ON account_move (account) WHERE is_out;

-- Like missing_period, but of an account whose rows were in an older file before they were moved here.
CREATE TABLE account_missing_period (
  account_id INTEGER NOT NULL REFERENCES account (id),
  began_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, began_at)
) STRICT, WITHOUT ROWID;
`;
