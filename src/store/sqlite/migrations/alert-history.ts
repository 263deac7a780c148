// Adds the history of alerts: when each alert fired, and which receivers were notified.

export const ALERT_HISTORY = `
-- A row is an episode: an alert from the time at which it began to fire until its end. By names, as in the table alert.
-- ended_at and last_value are null while it fires; a value is also null where it is no number.
CREATE TABLE alert_history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
  alert TEXT NOT NULL,
  labels TEXT NOT NULL,
  severity TEXT NOT NULL,
  since INTEGER NOT NULL,
  firing_since INTEGER NOT NULL,
  value REAL,
  ended_at INTEGER,
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
  episode INTEGER NOT NULL REFERENCES alert_history (id) ON DELETE CASCADE,
  receiver TEXT NOT NULL,
  firing_at INTEGER,
  resolved_at INTEGER,
  PRIMARY KEY (episode, receiver)
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
