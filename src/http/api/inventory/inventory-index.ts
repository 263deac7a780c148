// Defines what the proxies of the inventory are searched, filtered and sorted by.

import { isIPv4 } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { InventoryProxy } from '../../../store/inventory-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import type { IndexSource } from '../lists/indexed-list.ts';
import type { ColumnsOf, ListIndex } from '../lists/list-index.ts';
import { hasWord } from '../lists/row-tests.ts';
import type { RowTest } from '../lists/scan.ts';
import { byNumbers, byWords } from '../lists/sort.ts';
import { accountWithCollector } from '../route.ts';

export const inventoryColumns: ColumnsOf<InventoryProxy> = {
  words: {
    productType: ({ productType }) => productType,
    status: ({ status }) => status,
    address: ({ address }) => address,
    addressOrder: ({ address }) => address && addressOrder(address),
    addressV6: ({ addressV6 }) => addressV6,
    subnetId: ({ subnetId }) => subnetId,
    asnId: ({ asnId }) => (asnId === null ? null : String(asnId)),
    asnName: ({ asnName }) => asnName,
    cityName: ({ cityName }) => cityName,
    subdivisionName: ({ subdivisionName }) => subdivisionName,
    countryId: ({ countryId }) => countryId,
    countryName: ({ countryName }) => countryName,
    serviceId: ({ serviceId }) => serviceId,
  },
  numbers: { updatedAt: ({ updatedAt }) => updatedAt },
};

/** Columns of words that `q` searches. */
export const SEARCHED = [
  ...['address', 'addressV6', 'subnetId', 'asnId', 'asnName', 'cityName', 'subdivisionName'],
  ...['countryId', 'countryName', 'serviceId'],
];

/** Orders IPv4 addresses by their numbers, and puts all others after them. */
export const addressOrder = (address: string): string =>
  isIPv4(address)
    ? address
        .split('.')
        .map((byte) => byte.padStart(3, '0'))
        .join('.')
    : `~${address}`;

export const INVENTORY_SORTS = {
  ip_address: byWords('addressOrder'),
  status: byWords('status'),
  product_type: byWords('productType'),
  country_id: byWords('countryId'),
  city_name: byWords('cityName'),
  asn_name: byWords('asnName'),
  service_id: byWords('serviceId'),
  updated_at: byNumbers('updatedAt'),
} as const;

const FILTERS = {
  product_type: 'productType',
  status: 'status',
  country_id: 'countryId',
  service_id: 'serviceId',
} as const;
type Filter = Readonly<Record<keyof typeof FILTERS, readonly string[]>>;

const filters = Object.entries(FILTERS) as [keyof Filter, (typeof FILTERS)[keyof Filter]][];

export const inventoryTests = (index: ListIndex, filter: Filter): RowTest[] =>
  filters.flatMap(([name, column]) => hasWord(index, [column], filter[name]));

/** Whether a proxy, which may have changed since its index was made, still matches. */
export const stillMatches = (proxy: InventoryProxy, filter: Filter): boolean =>
  filters.every(
    ([name, column]) => filter[name].length === 0 || filter[name].some((each) => each === proxy[column]),
  );

/** How many proxies are read at a time. */
const PAGE_SIZE = 100;

export const inventorySource = async (
  view: DaemonView,
  account: string,
): Promise<IndexSource<InventoryProxy> | undefined> => {
  const found = accountWithCollector(view, account, 'inventory');
  return (
    found && {
      revision: view.revision(['inventory']),
      pages: async function* () {
        for (let after: string | undefined = ''; after !== undefined; ) {
          const page: InventoryProxy[] = await found.store.inventory.page(account, after, PAGE_SIZE);
          yield page;
          after = page.at(-1)?.id;
          await setImmediate();
        }
      },
    }
  );
};
