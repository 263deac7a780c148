// Holds the migration to schema 6.

import { add } from './schema.ts';

/** Adds what receivers were notified of, silences and the history of alerts. */
export const ALERT_NOTICES = `
-- The step of a quota that was passed, as a used share; 0 without steps, and until the next evaluation.
ALTER TABLE alert ADD COLUMN step REAL NOT NULL DEFAULT 0;
-- The alerts whose beginning a receiver was told and whose end it was not told yet. ended_at is set when the alert ends.
-- step is the one that the receiver knows. group_key is JSON with the group's labels, sorted by name. Another severity makes another alert, as in Alertmanager.
CREATE TABLE told_alert (
  receiver TEXT NOT NULL, account TEXT NOT NULL, alert TEXT NOT NULL, labels TEXT NOT NULL,
  severity TEXT NOT NULL, group_key TEXT NOT NULL, value REAL, firing_since INTEGER NOT NULL, ended_at INTEGER,
  step REAL NOT NULL, notified_at INTEGER NOT NULL, PRIMARY KEY (receiver, account, alert, labels, severity)
) STRICT, WITHOUT ROWID;
-- When a receiver was last notified of a group. The row is deleted when the receiver knows of no alert of the group.
CREATE TABLE notification_group (
  receiver TEXT NOT NULL, group_key TEXT NOT NULL, notified_at INTEGER NOT NULL,
  PRIMARY KEY (receiver, group_key)
) STRICT, WITHOUT ROWID;
-- The newest notifications that were deleted from the queue although their receiver did not accept them.
CREATE TABLE lost_notification (
  receiver TEXT NOT NULL, created_at INTEGER NOT NULL, group_key TEXT NOT NULL,
  result TEXT NOT NULL CHECK (result IN ('given_up', 'dropped')), PRIMARY KEY (receiver, created_at, group_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX lost_notification_by_time ON lost_notification (created_at);
-- Until now every receiver was notified of every firing alert when it began to fire. The keys are those of the default of group_by.
INSERT INTO told_alert
SELECT receiver.name, account, alert, labels, severity,
  iif(account = '', json_object('alertname', alert), json_object('account', account, 'alertname', alert)),
  value, firing_since, NULL, step, firing_since
FROM receiver, alert
WHERE firing_since IS NOT NULL AND ended_at IS NULL;
INSERT INTO notification_group
SELECT receiver, group_key, max(firing_since) FROM told_alert GROUP BY receiver, group_key;

-- account, alert and subject are null where the silence is not limited to one.
CREATE TABLE silence (
  id TEXT PRIMARY KEY, account TEXT, alert TEXT, subject TEXT, comment TEXT NOT NULL,
  starts_at INTEGER NOT NULL, ends_at INTEGER NOT NULL
) STRICT;

-- A row is an episode: an alert from the time at which it began to fire until its end. By names, as in the table alert.
-- ended_at and last_value are null while it fires; a value is also null where it is no number.
CREATE TABLE alert_history (
  id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, alert TEXT NOT NULL, labels TEXT NOT NULL,
  severity TEXT NOT NULL, since INTEGER NOT NULL, firing_since INTEGER NOT NULL, value REAL, ended_at INTEGER,
  last_value REAL
) STRICT;
CREATE INDEX alert_history_by_account ON alert_history (account);
CREATE INDEX alert_history_by_alert ON alert_history (alert);
CREATE INDEX alert_history_by_time ON alert_history (firing_since);
CREATE UNIQUE INDEX alert_history_firing ON alert_history (account, alert, labels, severity) WHERE ended_at IS NULL;
CREATE INDEX alert_history_ended ON alert_history (ended_at) WHERE ended_at IS NOT NULL;
-- The receivers that were notified of an episode. firing_at is null if the receiver knew the alert as firing already,
-- and resolved_at while it was not notified of the end.
CREATE TABLE alert_history_notice (
  episode INTEGER NOT NULL REFERENCES alert_history (id) ON DELETE CASCADE, receiver TEXT NOT NULL,
  firing_at INTEGER, resolved_at INTEGER, PRIMARY KEY (episode, receiver)
) STRICT, WITHOUT ROWID;
-- The episode of which the receiver was notified; null if the history does not have it.
ALTER TABLE told_alert ADD COLUMN episode INTEGER;
INSERT INTO alert_history (account, alert, labels, severity, since, firing_since, value)
SELECT account, alert, labels, severity, since, firing_since, value FROM alert
WHERE firing_since IS NOT NULL AND ended_at IS NULL ORDER BY firing_since;
UPDATE told_alert SET episode = (
  SELECT id FROM alert_history AS firing
  WHERE firing.account = told_alert.account AND firing.alert = told_alert.alert AND firing.labels = told_alert.labels
    AND firing.severity = told_alert.severity AND firing.ended_at IS NULL
);
INSERT INTO alert_history_notice (episode, receiver) SELECT episode, receiver FROM told_alert WHERE episode IS NOT NULL;
`;

/** Then adds attributed failures, the use of each proxy user, probes, published history, and moves of accounts. */
export const SIXTH = `
${ALERT_NOTICES}
-- How many failures of a sum are the fault of its own subject, and of others; null if failures were stored before this
-- was known.
${add('test_sum', `own_failures INTEGER, other_failures INTEGER`)}
${add('test_cells', `hour_own_failures INTEGER, hour_other_failures INTEGER`)}
-- The proxies whose failures a fault of a target explains, as JSON; null for all proxies.
ALTER TABLE fault ADD COLUMN scope TEXT;
CREATE INDEX inventory_change_by_time ON inventory_change (account_id, at);
CREATE INDEX inventory_change_by_proxy ON inventory_change (account_id, proxy_id, at);
CREATE INDEX inventory_change_by_kind ON inventory_change (account_id, change, at);

-- The values of a user's counters at the last hour that is stored. A user without a row has 0. days and bytes are sums
-- over its rows in user_use. Rows up to deleted_until were deleted to save space. user is null if the user was deleted,
-- until its rows in user_use are deleted too. Numbers of days count from 1970-01-01 and are local dates. The use
-- between residential_missing_since and residential_missing_until is unknown, because the provider did not give the used
-- bytes: from the start of the first listing without them (0 if it never gave them before) to that of the first one that
-- gave them again (ms).
CREATE TABLE user_use_mark (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id),
  user INTEGER UNIQUE REFERENCES proxy_user (rowid) ON DELETE SET NULL, residential_net INTEGER NOT NULL,
  mobile_net INTEGER NOT NULL, days INTEGER NOT NULL, bytes INTEGER NOT NULL, deleted_until INTEGER,
  residential_missing_since INTEGER, residential_missing_until INTEGER, mobile_missing_since INTEGER,
  mobile_missing_until INTEGER
) STRICT;
CREATE INDEX user_use_mark_by_account ON user_use_mark (account_id);
CREATE INDEX user_use_mark_without_user ON user_use_mark (id) WHERE user IS NULL;
-- Only days with use. hours is packed (hours.ts), and null for older days. The rows of a day are together, because all
-- that is written in an hour is of one day. Without a reference to user_use_mark, whose deletion would search all rows.
CREATE TABLE user_use (
  account_id INTEGER NOT NULL REFERENCES account (id), day INTEGER NOT NULL, mark INTEGER NOT NULL,
  residential INTEGER NOT NULL, mobile INTEGER NOT NULL, hours BLOB, PRIMARY KEY (account_id, day, mark)
) STRICT, WITHOUT ROWID;
-- The listings (ms) between which the use of a day was counted, and whether the provider gave the used bytes of a type for
-- any user. hours is JSON, and null for older days.
CREATE TABLE user_use_day (
  account_id INTEGER NOT NULL REFERENCES account (id), day INTEGER NOT NULL, since INTEGER NOT NULL,
  until INTEGER NOT NULL, has_residential INTEGER NOT NULL, has_mobile INTEGER NOT NULL, hours TEXT,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;
-- The start of the listing up to which use is stored, and the hour that is being stored, slice by slice.
${add('listing', `use_stored_until INTEGER, use_storing_hour INTEGER`)}
-- It is unknown when users used what was counted before.
INSERT INTO user_use_mark
  SELECT NULL, account_id, rowid, residential_net, mobile_net, 0, 0, NULL, NULL, NULL, NULL, NULL FROM proxy_user
  WHERE residential_net <> 0 OR mobile_net <> 0;
UPDATE listing SET use_stored_until = stored_at WHERE collector = 'proxy_users' AND baselined_at IS NOT NULL;

CREATE INDEX inventory_proxy_by_address ON inventory_proxy (account_id, address);
CREATE INDEX source_proxy_by_endpoint ON source_proxy (account_id, source, host, port);
CREATE INDEX source_proxy_by_provider_id ON source_proxy (account_id, source, provider_id);

-- error: phase and cause of the failure, null if the control succeeded; unreached_rounds: see StoredControl.
CREATE TABLE probe_control (
  account_id INTEGER NOT NULL REFERENCES account (id), url TEXT NOT NULL, is_successful INTEGER NOT NULL,
  failing_rounds INTEGER NOT NULL, unreached_rounds INTEGER NOT NULL, error TEXT, at INTEGER NOT NULL,
  PRIMARY KEY (account_id, url)
) STRICT, WITHOUT ROWID;
-- counts: as in url_tester; at: when a probe was last counted.
CREATE TABLE probe_phase (
  account_id INTEGER NOT NULL REFERENCES account (id), url TEXT NOT NULL, phase TEXT NOT NULL,
  at INTEGER NOT NULL, counts TEXT NOT NULL, sum_ms REAL NOT NULL, count INTEGER NOT NULL,
  held_until INTEGER NOT NULL, PRIMARY KEY (account_id, url, phase)
) STRICT, WITHOUT ROWID;
-- The last failure of each proxy and url. request_id: for the provider's support.
CREATE TABLE probe_failure (
  account_id INTEGER NOT NULL REFERENCES account (id), proxy TEXT NOT NULL, url TEXT NOT NULL,
  at INTEGER NOT NULL, phase TEXT NOT NULL, cause TEXT NOT NULL, message TEXT NOT NULL, status INTEGER,
  code TEXT, request_id TEXT, PRIMARY KEY (account_id, proxy, url)
) STRICT, WITHOUT ROWID;
-- expected, seen: an address, or a country of a gateway; since: when is_mismatch last changed.
CREATE TABLE probe_exit (
  account_id INTEGER NOT NULL REFERENCES account (id), proxy TEXT NOT NULL, expected TEXT NOT NULL,
  seen TEXT NOT NULL, is_mismatch INTEGER NOT NULL, since INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (account_id, proxy)
) STRICT, WITHOUT ROWID;
-- Bytes of metered proxies by slot of ten minutes, those that are reserved included.
CREATE TABLE probe_spend (
  account_id INTEGER NOT NULL REFERENCES account (id), at INTEGER NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, at)
) STRICT, WITHOUT ROWID;

-- Rows of history before until are published. closed_until: rows before this time were deleted since, to be read again.
-- A batch that is on its way, and a running writer, name publications by id, so the id of a deleted one is never used again.
CREATE TABLE publication (
  id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES account (id),
  source TEXT NOT NULL, subject TEXT NOT NULL, until INTEGER NOT NULL, closed_until INTEGER NOT NULL DEFAULT 0,
  UNIQUE (account_id, source, subject)
) STRICT;
-- What changed in published rows. differences: a JSON list with a number or null for each value of the row.
CREATE TABLE correction (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES account (id),
  publication_id INTEGER NOT NULL, at INTEGER NOT NULL, revision INTEGER NOT NULL, differences TEXT NOT NULL,
  UNIQUE (publication_id, at, revision)
) STRICT;
CREATE INDEX correction_by_time ON correction (account_id, at);
-- start: nothing before this time is sent; correction: the newest one that is sent. The other columns count samples.
CREATE TABLE remote_write_receiver (
  name TEXT PRIMARY KEY, start INTEGER NOT NULL, correction INTEGER NOT NULL,
  accepted INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0, expired INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
-- at: the first published row that is not sent; start: as in remote_write_receiver. A moved account keeps its own start.
CREATE TABLE remote_write_position (
  receiver TEXT NOT NULL, publication_id INTEGER NOT NULL, account_id INTEGER NOT NULL REFERENCES account (id),
  at INTEGER NOT NULL, start INTEGER NOT NULL, PRIMARY KEY (receiver, publication_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX remote_write_position_by_account ON remote_write_position (account_id);
CREATE INDEX remote_write_position_by_stream ON remote_write_position (publication_id);
-- The batch that is on its way. next: the position behind it.
CREATE TABLE remote_write_batch (
  receiver TEXT PRIMARY KEY, body BLOB NOT NULL, samples INTEGER NOT NULL, next TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- The moves that the rows of an account took part in. is_out is 1 for the move that took the account out of this store:
-- the account then belongs to another store. By name and not by account_id, because the row must outlive the others.
CREATE TABLE account_move (
  account TEXT NOT NULL, move_id TEXT NOT NULL, at INTEGER NOT NULL, is_out INTEGER NOT NULL,
  PRIMARY KEY (account, move_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX account_move_out ON account_move (account) WHERE is_out;
-- Like missing_period, but of an account whose rows were in an older file before they were moved here.
CREATE TABLE account_missing_period (
  account_id INTEGER NOT NULL REFERENCES account (id), began_at INTEGER NOT NULL, ended_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, began_at)
) STRICT, WITHOUT ROWID;
`;
