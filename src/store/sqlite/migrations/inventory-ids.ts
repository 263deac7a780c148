// Adds the id by which the inventory last knew each tested proxy, because only the inventory says it of a proxy that is
// configured by its address.

export const INVENTORY_IDS = `
ALTER TABLE source_proxy ADD COLUMN inventory_id TEXT;
UPDATE source_proxy SET inventory_id = provider_id;
DROP INDEX source_proxy_by_provider_id;
CREATE INDEX source_proxy_by_inventory_id ON source_proxy (account_id, source, inventory_id);
`;
