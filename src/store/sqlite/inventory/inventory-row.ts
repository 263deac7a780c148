// Converts between a proxy of the inventory and its row, and merges an answered proxy with the stored one.

import type { InventoryProxy } from '../../inventory-store.ts';

/** A proxy with values of SQLite's types. */
export type InventoryRow = Omit<InventoryProxy, 'userIds'> & { readonly userIds: string | null };

const COLUMNS = {
  id: 'id',
  productType: 'product_type',
  protocol: 'protocol',
  status: 'status',
  address: 'address',
  httpPort: 'http_port',
  socks5Port: 'socks5_port',
  subnetId: 'subnet_id',
  asnId: 'asn_id',
  asnName: 'asn_name',
  cityId: 'city_id',
  cityName: 'city_name',
  countryId: 'country_id',
  serviceId: 'service_id',
  addressV6: 'address_v6',
  addressIdV4: 'address_id_v4',
  addressIdV6: 'address_id_v6',
  subnetIdV6: 'subnet_id_v6',
  lineItemId: 'line_item_id',
  updatedAt: 'updated_at',
  users: 'users',
  userIds: 'user_ids',
  latitude: 'latitude',
  longitude: 'longitude',
  examplePostcode: 'example_postcode',
  timeZone: 'time_zone',
  countryName: 'country_name',
  subdivisionId: 'subdivision_id',
  subdivisionName: 'subdivision_name',
} as const satisfies Record<keyof InventoryProxy, string>;

const COLUMN_ENTRIES = Object.entries(COLUMNS);

export const SELECTED_COLUMNS = COLUMN_ENTRIES.map(([name, column]) => `${column} AS ${name}`).join(', ');

export const UPSERT = `INSERT INTO inventory_proxy (account_id, ${COLUMN_ENTRIES.map(([, column]) => column).join(', ')})
  VALUES (@accountId, ${COLUMN_ENTRIES.map(([name]) => `@${name}`).join(', ')})
  ON CONFLICT DO UPDATE SET ${COLUMN_ENTRIES.map(([, column]) => `${column} = excluded.${column}`).join(', ')}`;

export const toRow = (proxy: InventoryProxy): InventoryRow => ({
  ...proxy,
  userIds: proxy.userIds && JSON.stringify(proxy.userIds),
});

export const fromRow = (row: InventoryRow): InventoryProxy => ({
  ...row,
  userIds: row.userIds === null ? null : JSON.parse(row.userIds),
});

/**
 * Merges an answered proxy with the stored one. An address, port, network or city that is not given keeps its stored
 * value, and its name. Any other value may really be empty again, such as the service of a proxy that was returned.
 */
export const mergeRow = (before: InventoryRow | undefined, answered: InventoryRow): InventoryRow => {
  if (!before) return answered;
  return {
    ...answered,
    httpPort: answered.httpPort ?? before.httpPort,
    socks5Port: answered.socks5Port ?? before.socks5Port,
    ...(answered.address === null && addressOf(before)),
    ...(answered.asnId === null && { asnId: before.asnId, asnName: before.asnName }),
    ...(answered.cityId === null && { ...cityOf(before), countryId: answered.countryId ?? before.countryId }),
  };
};

const addressOf = (row: InventoryRow) => {
  const { address, subnetId, addressV6, addressIdV4, addressIdV6, subnetIdV6 } = row;
  return { address, subnetId, addressV6, addressIdV4, addressIdV6, subnetIdV6 };
};

const cityOf = (row: InventoryRow) => {
  const { cityId, cityName, latitude, longitude, examplePostcode, timeZone } = row;
  const { subdivisionId, subdivisionName, countryName } = row;
  return {
    ...{ cityId, cityName, latitude, longitude, examplePostcode, timeZone },
    ...{ subdivisionId, subdivisionName, countryName },
  };
};

export const isEqual = (before: InventoryRow, after: InventoryRow): boolean =>
  (Object.keys(before) as (keyof InventoryRow)[]).every((key) => before[key] === after[key]);
