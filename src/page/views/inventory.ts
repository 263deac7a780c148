// Shows proxies of the inventory in tables, and what changes of the inventory mean for a tested proxy.

import type { InventoryProxy, ProxyDetails } from '../answers.ts';
import { badge, type Column, emptyCell, localTime, subjectLink, table } from '../components.ts';
import { html, type Markup } from '../html.ts';

export const inventoryColumns: readonly Column<InventoryProxy>[] = [
  { name: 'Proxy', cell: ({ account, proxy_id: id }) => subjectLink(account, 'proxy', id) },
  { name: 'Status', cell: ({ status }) => status ?? emptyCell(), sort: 'status' },
  { name: 'Address', cell: ({ ip_address: address }) => address ?? emptyCell(), sort: 'ip_address' },
  { name: 'Type', cell: ({ product_type: type }) => type ?? emptyCell(), sort: 'product_type' },
  { name: 'Country', cell: ({ country_id: id }) => id?.toUpperCase() ?? emptyCell(), sort: 'country_id' },
  { name: 'City', cell: ({ city_name: city }) => city ?? emptyCell(), sort: 'city_name' },
  { name: 'Network', cell: ({ asn_name: name }) => name ?? emptyCell(), sort: 'asn_name' },
  {
    name: 'Service',
    cell: ({ account, service_id: id }) => (id === null ? emptyCell() : subjectLink(account, 'service', id)),
    sort: 'service_id',
  },
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
  const at = localTime(Date.parse(change.at), 'minute');
  if (change.change === 'gone')
    return html`<p>${badge('bad', 'Removed')} Removed from the inventory at ${at}.</p>`;
  if (!change.tested_elsewhere) return null;
  return html`<p>${badge('fair', 'Another address')} The inventory has the address ${change.after} since ${at}, and the tests use another one.</p>`;
};
