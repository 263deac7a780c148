// Holds the migration to schema 7.

const rename = (table: string): string =>
  `UPDATE ${table} SET labels = replace(labels, '"endpoint":', '"api_endpoint":')
WHERE alert = 'ProviderEndpointForbidden';`;

/**
 * Renames the label `endpoint` of alerts to `api_endpoint`, so that service discovery cannot overwrite it, and adds the
 * inventory's ids of tested proxies, what a start must know so that it does not hide what fails, and what explains a jump in a
 * plot. Keys of groups keep the former name, because a service such as PagerDuty knows the open incident by the key. Waiting
 * notifications are delivered with the former label.
 */
export const SEVENTH = `
${['alert', 'told_alert', 'alert_history'].map(rename).join('\n')}
UPDATE silence SET subject = 'api_' || subject WHERE subject GLOB 'endpoint=*';
-- 1 if it ends before ends_at when the alerts that began before it are resolved.
ALTER TABLE silence ADD COLUMN until_resolved INTEGER NOT NULL DEFAULT 0;
-- The part of the time since its start that does not count for the hold of the alert.
ALTER TABLE alert ADD COLUMN skipped_ms INTEGER NOT NULL DEFAULT 0;

-- The id by which the inventory last knew the proxy: only the inventory says it of a proxy that is configured by address.
ALTER TABLE source_proxy ADD COLUMN inventory_id TEXT;
UPDATE source_proxy SET inventory_id = provider_id;
DROP INDEX source_proxy_by_provider_id;
CREATE INDEX source_proxy_by_inventory_id ON source_proxy (account_id, source, inventory_id);

-- The keys of the metadata that the configuration lists, as JSON.
ALTER TABLE service ADD COLUMN metadata TEXT;

-- One row. schedule is empty while no backups are scheduled.
CREATE TABLE backup_schedule (
  id INTEGER PRIMARY KEY CHECK (id = 1), schedule TEXT NOT NULL, since INTEGER NOT NULL
) STRICT;
-- Samples that a receiver gets later: at + wait_ms is when they are due, and first_at the time of the oldest of them. is_repeat
-- is 1 if the receiver has accepted them.
CREATE TABLE remote_write_kept (
  id INTEGER PRIMARY KEY, receiver TEXT NOT NULL, at INTEGER NOT NULL, wait_ms INTEGER NOT NULL,
  first_at INTEGER NOT NULL, is_repeat INTEGER NOT NULL, samples INTEGER NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE INDEX remote_write_kept_due ON remote_write_kept (receiver, is_repeat, at + wait_ms);
-- refusing_since is null unless the receiver refused all samples of the newest batch.
ALTER TABLE remote_write_receiver ADD COLUMN refusing_since INTEGER;
UPDATE remote_write_receiver SET refusing_since = start WHERE accepted = 0 AND refused > 0;

-- The newest starts of the daemon. is_restart is 0 if no collector had run before.
CREATE TABLE daemon_start (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, is_restart INTEGER NOT NULL) STRICT;
-- Ranges [from_at, to_at) of a graph or of a ledger (the name of its table) whose values changed much after they had settled,
-- and when that was read. A date of a ledger counts as if its day were in UTC.
CREATE TABLE late_change (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), graph_id INTEGER REFERENCES graph (id),
  ledger TEXT, from_at INTEGER NOT NULL, to_at INTEGER NOT NULL, read_at INTEGER NOT NULL
) STRICT;
CREATE INDEX late_change_by_account ON late_change (account_id, from_at);
CREATE INDEX late_change_by_graph ON late_change (graph_id, from_at);
-- Null in changes of earlier versions.
ALTER TABLE inventory_change ADD COLUMN service_id TEXT;
ALTER TABLE inventory_change ADD COLUMN product_type TEXT;
-- Where others place an address. placed_at and placed_in are of the newest answer.
CREATE TABLE geolocation (
  account_id INTEGER NOT NULL REFERENCES account (id), address TEXT NOT NULL, asked_at INTEGER NOT NULL, placed_at INTEGER,
  placed_in TEXT, PRIMARY KEY (account_id, address)
) STRICT, WITHOUT ROWID;

-- The same tables as those of the residential ledger.
ALTER TABLE account ADD COLUMN mobile_ledger_rule TEXT;
CREATE TABLE mobile_ledger (
  account_id INTEGER NOT NULL REFERENCES account (id), id TEXT NOT NULL, reason TEXT NOT NULL, service_id TEXT,
  period_date TEXT NOT NULL, bytes INTEGER, added_bytes INTEGER NOT NULL, used_bytes INTEGER NOT NULL, requests INTEGER,
  adjustment_id INTEGER, created_at INTEGER, updated_at INTEGER, PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mobile_ledger_by_date ON mobile_ledger (account_id, period_date, id);
CREATE TABLE mobile_ledger_rates (
  account_id INTEGER NOT NULL REFERENCES account (id), service_id TEXT NOT NULL, used_bytes INTEGER NOT NULL,
  since INTEGER NOT NULL, at INTEGER NOT NULL, hour REAL NOT NULL, day REAL NOT NULL, week REAL NOT NULL,
  slot_bytes REAL, profile BLOB, PRIMARY KEY (account_id, service_id)
) STRICT, WITHOUT ROWID;

-- The newest answers. Null values were not given.
CREATE TABLE customer_state (
  account_id INTEGER PRIMARY KEY REFERENCES account (id), answered_at INTEGER NOT NULL, credit REAL,
  residential_left_bytes INTEGER, mobile_left_bytes INTEGER, proxies INTEGER, user_limit INTEGER, kyc_level TEXT,
  is_residential_paused INTEGER, is_mobile_paused INTEGER, is_kyc_pending INTEGER, is_trial_pending INTEGER
) STRICT;
CREATE TABLE customer_summary (
  account_id INTEGER NOT NULL REFERENCES account (id), product_type TEXT NOT NULL, answered_at INTEGER NOT NULL,
  bought_bytes INTEGER, left_bytes INTEGER, used_bytes INTEGER, PRIMARY KEY (account_id, product_type)
) STRICT, WITHOUT ROWID;

-- Names of users, networks and hosts. seen_day is the newest day with a row that has the name.
CREATE TABLE log_summary_name (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), text TEXT NOT NULL,
  seen_day INTEGER NOT NULL, UNIQUE (account_id, text)
) STRICT;
CREATE INDEX log_summary_name_by_day ON log_summary_name (account_id, seen_day);
-- Use on a day, which counts as if it were in UTC. Values are counted under the name: the answered ones are without the moved
-- ones, which the provider lists under a wider name. next_ are answered values that are not counted yet.
CREATE TABLE log_summary (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), day INTEGER NOT NULL, user INTEGER NOT NULL,
  network INTEGER NOT NULL, hostname INTEGER NOT NULL, state INTEGER NOT NULL, is_changed INTEGER NOT NULL,
  bytes INTEGER, requests INTEGER, charged_bytes INTEGER, charged_requests INTEGER,
  moved_bytes INTEGER DEFAULT 0, moved_requests INTEGER DEFAULT 0, moved_charged_bytes INTEGER DEFAULT 0,
  moved_charged_requests INTEGER DEFAULT 0,
  next_bytes INTEGER, next_requests INTEGER, next_charged_bytes INTEGER, next_charged_requests INTEGER
) STRICT;
CREATE UNIQUE INDEX log_summary_by_name ON log_summary (account_id, day, user, network, hostname);
CREATE INDEX log_summary_changed ON log_summary (account_id, day, user, network, hostname) WHERE is_changed = 1;
-- read_at is 0 before the first complete pass over the day.
CREATE TABLE log_summary_day (
  account_id INTEGER NOT NULL REFERENCES account (id), day INTEGER NOT NULL, read_at INTEGER NOT NULL, rows INTEGER NOT NULL,
  listed_rows INTEGER NOT NULL, is_deleted INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;
-- Users and host names with counters of their own; left_day is null while they have them.
CREATE TABLE log_summary_top (
  account_id INTEGER NOT NULL REFERENCES account (id), kind TEXT NOT NULL, name TEXT NOT NULL, left_day INTEGER,
  PRIMARY KEY (account_id, kind, name)
) STRICT, WITHOUT ROWID;
-- Bytes between two values of a counter, and what a byte cost then. The newest step of a product type grows.
CREATE TABLE priced_bytes (
  account_id INTEGER NOT NULL REFERENCES account (id), product_type TEXT NOT NULL, step INTEGER NOT NULL,
  source TEXT NOT NULL, currency TEXT NOT NULL, price REAL NOT NULL, from_bytes INTEGER NOT NULL,
  to_bytes INTEGER NOT NULL, PRIMARY KEY (account_id, product_type, step)
) STRICT, WITHOUT ROWID;

-- Adjustments of services. at is the creation; without it, the last update; without both, 0. changes, replacements and
-- reached are JSON: values before and after, replaced proxies, and the statuses that were seen. is_new says that the first
-- status counts.
CREATE TABLE service_adjustment (
  account_id INTEGER NOT NULL REFERENCES account (id), id TEXT NOT NULL, service_id TEXT, type TEXT, status TEXT, by TEXT,
  created_at INTEGER, updated_at INTEGER, at INTEGER NOT NULL, is_new INTEGER NOT NULL, changes TEXT NOT NULL,
  replacements TEXT, reached TEXT NOT NULL, PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX service_adjustment_by_time ON service_adjustment (account_id, at, id);
CREATE INDEX service_adjustment_by_update ON service_adjustment (account_id, updated_at);
-- Finds the replacements by address.
CREATE TABLE proxy_replacement (
  account_id INTEGER NOT NULL REFERENCES account (id), adjustment_id TEXT NOT NULL, reason TEXT, old_address TEXT,
  new_address TEXT, FOREIGN KEY (account_id, adjustment_id) REFERENCES service_adjustment (account_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX proxy_replacement_by_adjustment ON proxy_replacement (account_id, adjustment_id);
CREATE INDEX proxy_replacement_by_old_address ON proxy_replacement (account_id, old_address);
CREATE INDEX proxy_replacement_by_new_address ON proxy_replacement (account_id, new_address);
-- counted_to is the end of the last window, and null until the first one after a new epoch. recent has the counts of the newest
-- hour as JSON. Since clients_from, the address of each client was read; null if that of the last window was not.
CREATE TABLE request_log (
  account_id INTEGER PRIMARY KEY REFERENCES account (id), counted_to INTEGER, recent TEXT NOT NULL DEFAULT '[]',
  clients_from INTEGER, clients_basis TEXT
) STRICT;
-- Clients that use the login of a user, by a keyed hash of their address. is_expected is null without anything to compare with.
CREATE TABLE request_log_client (
  account_id INTEGER NOT NULL REFERENCES account (id), user TEXT NOT NULL, client TEXT NOT NULL, is_expected INTEGER,
  network TEXT, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (account_id, user, client)
) STRICT, WITHOUT ROWID;
-- Requests that failed with a code; all requests of the product type have an empty class and code. Without a product type, it
-- is the part of the hour that is counted (ms).
CREATE TABLE request_log_count (
  account_id INTEGER NOT NULL REFERENCES account (id), hour INTEGER NOT NULL, product_type TEXT NOT NULL,
  class TEXT NOT NULL, code TEXT NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY (account_id, hour, product_type, class, code)
) STRICT, WITHOUT ROWID;
-- Estimated sums. errors_variance is null if it is not known. is_other is 1 for the sum of all further names.
CREATE TABLE request_log_sample (
  account_id INTEGER NOT NULL REFERENCES account (id), hour INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  is_other INTEGER NOT NULL, class TEXT NOT NULL, errors REAL NOT NULL, errors_variance REAL, bytes REAL,
  PRIMARY KEY (account_id, hour, kind, name, is_other, class)
) STRICT, WITHOUT ROWID;
`;
