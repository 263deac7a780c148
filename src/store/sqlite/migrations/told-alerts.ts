// Adds tables for what each receiver was told, so that notifications can be grouped across restarts.

export const TOLD_ALERTS = `
-- The step of a quota that was passed, as a used share; 0 without steps, and until the next evaluation.
ALTER TABLE alert ADD COLUMN step REAL NOT NULL DEFAULT 0;

-- The alerts whose beginning a receiver was told and whose end it was not told yet. ended_at is set when the alert ends.
-- step is the one that the receiver knows. group_key is JSON with the group's labels, sorted by name. Another severity makes another alert, as in Alertmanager.
CREATE TABLE told_alert (
  receiver TEXT NOT NULL,
  account TEXT NOT NULL,
  alert TEXT NOT NULL,
  labels TEXT NOT NULL,
  severity TEXT NOT NULL,
  group_key TEXT NOT NULL,
  value REAL,
  firing_since INTEGER NOT NULL,
  ended_at INTEGER,
  step REAL NOT NULL,
  notified_at INTEGER NOT NULL,
  PRIMARY KEY (receiver, account, alert, labels, severity)
) STRICT, WITHOUT ROWID;

-- When a receiver was last notified of a group. The row is deleted when the receiver knows of no alert of the group.
CREATE TABLE notification_group (
  receiver TEXT NOT NULL,
  group_key TEXT NOT NULL,
  notified_at INTEGER NOT NULL,
  PRIMARY KEY (receiver, group_key)
) STRICT, WITHOUT ROWID;

-- The newest notifications that were deleted from the queue although their receiver did not accept them.
CREATE TABLE lost_notification (
  receiver TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  group_key TEXT NOT NULL,
  result TEXT NOT NULL CHECK (result IN ('given_up', 'dropped')),
  PRIMARY KEY (receiver, created_at, group_key)
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
`;
