// Adds indexes that find the proxy of the inventory that a tested proxy is, and the other way around.

export const PROXY_ENDPOINTS = `
CREATE INDEX inventory_proxy_by_address ON inventory_proxy (account_id, address);
CREATE INDEX source_proxy_by_endpoint ON source_proxy (account_id, source, host, port);
CREATE INDEX source_proxy_by_provider_id ON source_proxy (account_id, source, provider_id);
`;
