// Renames the label `endpoint` of alerts to `api_endpoint`, so that service discovery cannot overwrite it, and adds the
// inventory's ids of tested proxies, and what a start must know so that it does not hide what fails.

const rename = (table: string): string =>
  `UPDATE ${table} SET labels = replace(labels, '"endpoint":', '"api_endpoint":')
WHERE alert = 'ProviderEndpointForbidden';`;

/**
 * Keys of groups keep the former name, because a service such as PagerDuty knows the open incident by the key. Waiting
 * notifications are delivered with the former label.
 */
export const SEVENTH = `
${['alert', 'told_alert', 'alert_history'].map(rename).join('\n')}
UPDATE silence SET subject = 'api_' || subject WHERE subject GLOB 'endpoint=*';

-- The id by which the inventory last knew the proxy: only the inventory says it of a proxy that is configured by address.
ALTER TABLE source_proxy ADD COLUMN inventory_id TEXT;
UPDATE source_proxy SET inventory_id = provider_id;
DROP INDEX source_proxy_by_provider_id;
CREATE INDEX source_proxy_by_inventory_id ON source_proxy (account_id, source, inventory_id);

-- One row. schedule is empty while no backups are scheduled.
CREATE TABLE backup_schedule (
  id INTEGER PRIMARY KEY CHECK (id = 1), schedule TEXT NOT NULL, since INTEGER NOT NULL
) STRICT;
-- refusing_since is null unless the receiver refused all samples of the newest batch.
ALTER TABLE remote_write_receiver ADD COLUMN refusing_since INTEGER;
UPDATE remote_write_receiver SET refusing_since = start WHERE accepted = 0 AND refused > 0;
`;
