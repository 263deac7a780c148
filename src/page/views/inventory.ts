// Shows proxies of the inventory in tables, and what changes of the inventory mean for a tested proxy.

import type { InventoryProxy, ProxyDetails } from '../answers.ts';
import { badge, type Column, column, minute, orDash, quiet, subjectLink, table } from '../components.ts';
import { html, type Markup } from '../html.ts';

export const inventoryColumns: readonly Column<InventoryProxy>[] = [
  column(
    'Address',
    ({ account, proxy_id: id, ip_address: address }) => subjectLink(account, 'proxy', id, address ?? id),
    'text',
    'ip_address',
  ),
  column('Status', ({ status }) => orDash(status), 'text', 'status'),
  column('City', ({ city_name: city }) => orDash(city), 'text', 'city_name'),
  column('Country', ({ country_id: id }) => orDash(id?.toUpperCase() ?? null), 'text', 'country_id'),
  column('Network', ({ asn_name: name }) => orDash(name), 'text', 'asn_name'),
  column('Type', ({ product_type: type }) => orDash(type), 'text', 'product_type'),
  column(
    'Service',
    ({ account, service_id: id }) => orDash(id, (each) => subjectLink(account, 'service', each)),
    'text',
    'service_id',
  ),
  column('Id', ({ proxy_id: id }) => quiet(id), 'text', 'id'),
];

/** All proxies of a service have the same service. */
export const proxiesOfService = (proxies: readonly InventoryProxy[]): Markup =>
  table<InventoryProxy>(
    'Proxies of the service',
    inventoryColumns.filter(({ name }) => name !== 'Service'),
    proxies,
  );

/** Returns null if no change explains why tests of the proxy may fail. */
export const inventoryChangeNote = (change: ProxyDetails['inventory_change']): Markup | null => {
  if (!change) return null;
  const at = minute(change.at);
  if (change.change === 'gone')
    return html`<p>${badge('bad', 'Removed')} Removed from the inventory at ${at}.</p>`;
  if (!change.tested_elsewhere) return null;
  return html`<p>${badge('fair', 'Another address')} The inventory has the address ${change.after} since ${at}, and the tests use another one.</p>`;
};
