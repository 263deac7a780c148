// Adds the use of each proxy user by hour and by day.

export const USER_USE = `
-- The values of a user's counters at the last hour that is stored. A user without a row has 0. days and bytes are sums
-- over its rows in user_use. Rows up to deleted_until were deleted to save space. user is null if the user was deleted,
-- until its rows in user_use are deleted too. Numbers of days count from 1970-01-01 and are local dates. The use
-- between residential_missing_since and residential_missing_until is unknown, because the provider did not give the used
-- bytes: from the start of the first listing without them (0 if it never gave them before) to that of the first one that
-- gave them again (ms).
CREATE TABLE user_use_mark (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  user INTEGER UNIQUE REFERENCES proxy_user (rowid) ON DELETE SET NULL,
  residential_net INTEGER NOT NULL,
  mobile_net INTEGER NOT NULL,
  days INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  deleted_until INTEGER,
  residential_missing_since INTEGER,
  residential_missing_until INTEGER,
  mobile_missing_since INTEGER,
  mobile_missing_until INTEGER
) STRICT;
CREATE INDEX user_use_mark_by_account ON user_use_mark (account_id);
CREATE INDEX user_use_mark_without_user ON user_use_mark (id) WHERE user IS NULL;

-- Only days with use. hours is packed (hours.ts), and null for older days. The rows of a day are together, because all
-- that is written in an hour is of one day. Without a reference to user_use_mark, whose deletion would search all rows.
CREATE TABLE user_use (
  account_id INTEGER NOT NULL REFERENCES account (id),
  day INTEGER NOT NULL,
  mark INTEGER NOT NULL,
  residential INTEGER NOT NULL,
  mobile INTEGER NOT NULL,
  hours BLOB,
  PRIMARY KEY (account_id, day, mark)
) STRICT, WITHOUT ROWID;

-- The listings (ms) between which the use of a day was counted, and whether the provider gave the used bytes of a type for
-- any user. hours is JSON, and null for older days.
CREATE TABLE user_use_day (
  account_id INTEGER NOT NULL REFERENCES account (id),
  day INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  has_residential INTEGER NOT NULL,
  has_mobile INTEGER NOT NULL,
  hours TEXT,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

-- The start of the listing up to which use is stored, and the hour that is being stored, slice by slice.
ALTER TABLE listing ADD COLUMN use_stored_until INTEGER;
ALTER TABLE listing ADD COLUMN use_storing_hour INTEGER;

-- It is unknown when users used what was counted before.
INSERT INTO user_use_mark
  SELECT NULL, account_id, rowid, residential_net, mobile_net, 0, 0, NULL, NULL, NULL, NULL, NULL FROM proxy_user
  WHERE residential_net <> 0 OR mobile_net <> 0;
UPDATE listing SET use_stored_until = stored_at WHERE collector = 'proxy_users' AND baselined_at IS NOT NULL;
`;
