// The pages of long lists: tested proxies, the inventory, users, services, failed tests, changes and the alert history.

import type { ListView } from '../address.ts';
import type {
  Episode,
  Failure,
  InventoryChange,
  InventoryProxy,
  ProxyHours,
  Service,
  TestedProxy,
  User,
} from '../answers.ts';
import { ago, column, orDash, quiet, subjectLink } from '../components.ts';
import { percent, seconds } from '../format.ts';
import { alertHistoryColumns } from '../views/alert-history.ts';
import { CHANGE_NAMES, changeColumns, failureColumns, NO_FAILURES } from '../views/failures.ts';
import { inventoryColumns } from '../views/inventory.ts';
import { serviceColumns } from '../views/market.ts';
import { faultBadge } from '../views/proxies.ts';
import { hoursOf, stripRow } from '../views/uptime.ts';
import { QUOTA_STATES, userColumns } from '../views/users.ts';
import { type ListDefinition, type ListFilter, listPage } from './list-page.ts';
import type { Page } from './page.ts';

const PRODUCT_TYPES = { datacenter: 'Datacenter', isp: 'ISP', residential: 'Residential', mobile: 'Mobile' };

/** A service that was sold outside of the catalog has a type of its own. */
const SERVICE_TYPES = { ...PRODUCT_TYPES, off_catalog: 'Off catalog' };

const typeFilter = (values: Readonly<Record<string, string>>): ListFilter => ({
  name: 'product_type',
  label: 'Type',
  values,
});

/** The tables show countries in upper case, and the API has them in lower case. Addresses may have either. */
const country: ListFilter = {
  name: 'country_id',
  label: 'Country',
  values: 'answered',
  toParameter: (text) => text.trim().toLowerCase(),
  textOf: (id) => id.toUpperCase(),
};

const status: ListFilter = { name: 'status', label: 'Status', values: 'answered' };

/** There can be thousands of proxies, so the reader enters the id. */
const proxy: ListFilter = { name: 'proxy_id', label: 'Proxy', values: null };

const proxies: ListDefinition<TestedProxy, ProxyHours> = {
  itemName: 'tested proxies',
  path: 'api/v1/proxies',
  searched: 'id, name or host',
  filters: [
    { name: 'fault', label: 'At fault', values: { true: 'Yes', false: 'No' } },
    typeFilter(PRODUCT_TYPES),
  ],
  sorts: {
    state: 'Own failures first',
    name: 'Name',
    own_uptime_24h: 'Lowest own uptime first',
    '-own_uptime_24h': 'Highest own uptime first',
    uptime_24h: 'Lowest uptime of all tests first',
    '-uptime_24h': 'Highest uptime of all tests first',
    '-failing_rounds': 'Longest failing first',
    '-last_tested_at': 'Last tested first',
    id: 'Id',
  },
  detailsPath: (items, account) =>
    `api/v1/uptimes/hours?${new URLSearchParams([['account', account], ...items.map(({ proxy_id: id }): [string, string] => ['id', id])])}`,
  columns: (_, now, hours) => [
    column('Proxy', ({ account, proxy_id: id }) => subjectLink(account, 'proxy', id), 'text', 'id'),
    column('State', faultBadge, 'state', 'state'),
    column('Type', ({ product_type: type }) => orDash(type)),
    column(
      'Own uptime, 24 h',
      ({ proxy_id: id, uptime }) => {
        const [found, ratio] = [hours && hoursOf(hours, id), orDash(uptime['24h'].own_ratio, percent)];
        return found ? stripRow(found, 'hour', ratio) : ratio;
      },
      'text',
      'own_uptime_24h',
    ),
    column('All tests, 24 h', ({ uptime }) => orDash(uptime['24h'].ratio, percent), 'number', 'uptime_24h'),
    column(
      'Response time',
      ({ uptime }) => orDash(uptime['24h'].mean_response_time_seconds, seconds),
      'number',
    ),
    column(
      'Tested',
      ({ last_tested_at: at }) => (at === null ? quiet('never') : ago(at, now)),
      'text',
      'last_tested_at',
    ),
  ],
  noItems: 'proxywatch tests no proxies of this account.',
};

const inventory: ListDefinition<InventoryProxy> = {
  itemName: 'proxies',
  path: 'api/v1/inventory',
  searched: 'id, address, place or network',
  filters: [typeFilter(PRODUCT_TYPES), country, status],
  sorts: {
    id: 'Id',
    ip_address: 'Address',
    status: 'Status',
    product_type: 'Type',
    country_id: 'Country',
    city_name: 'City',
    asn_name: 'Network',
    service_id: 'Service',
    '-updated_at': 'Last changed first',
  },
  columns: () => inventoryColumns,
  noItems: 'The inventory has no proxies.',
};

const STATES = {
  ...Object.fromEntries(Object.entries(QUOTA_STATES).map(([state, [, text]]) => [state, text])),
  unknown: 'Unknown',
};

const users: ListDefinition<User> = {
  itemName: 'proxy users',
  path: 'api/v1/users',
  searched: 'id',
  filters: [
    typeFilter({ residential: 'Residential', mobile: 'Mobile' }),
    { name: 'state', label: 'State', values: STATES },
  ],
  sorts: {
    state: 'Worst state first',
    urgency: 'Runs out first',
    left_bytes: 'Least left first',
    '-left_bytes': 'Most left first',
    '-used_bytes': 'Most used first',
    '-used_ratio': 'Largest share used first',
    id: 'Id',
  },
  columns: ({ product_type: type }, now) =>
    userColumns(type === 'mobile' || type === 'residential' ? [type] : ['residential', 'mobile'], now),
  noItems: 'The account has no proxy users.',
};

const services: ListDefinition<Service> = {
  itemName: 'services',
  path: 'api/v1/services',
  searched: 'id or name',
  filters: [typeFilter(SERVICE_TYPES), country, status],
  sorts: {
    state: 'Most urgent first',
    service_name: 'Name',
    expires_at: 'Expires first',
    '-price': 'Most expensive first',
    id: 'Id',
  },
  columns: (_, now) => serviceColumns(now),
  noItems: 'proxywatch knows no services of this account.',
};

const failures: ListDefinition<Failure> = {
  itemName: 'failed tests',
  path: 'api/v1/failures',
  searched: 'proxy, target, tester or error',
  filters: [
    proxy,
    { name: 'url', label: 'Target', values: 'answered' },
    { name: 'tester_server', label: 'Tester', values: 'answered' },
    { name: 'error_source', label: 'Error source', values: 'answered' },
  ],
  sorts: {},
  columns: () => failureColumns(null),
  noItems: NO_FAILURES,
};

const changes: ListDefinition<InventoryChange> = {
  itemName: 'changes',
  path: 'api/v1/inventory/changes',
  searched: 'proxy, old or new value',
  filters: [
    proxy,
    {
      name: 'change',
      label: 'Change',
      values: CHANGE_NAMES,
    },
  ],
  sorts: {},
  columns: () => changeColumns,
  noItems: 'proxywatch has stored no changes.',
};

const history: ListDefinition<Episode> = {
  itemName: 'alerts',
  path: 'api/v1/alerts/history',
  searched: 'alert or subject',
  filters: [
    {
      name: 'severity',
      label: 'Severity',
      values: { critical: 'Critical', warning: 'Warning', info: 'Info' },
    },
    { name: 'state', label: 'State', values: { firing: 'Firing', resolved: 'Resolved' } },
  ],
  sorts: {},
  columns: (_, now) => alertHistoryColumns(now).filter(({ name }) => name !== 'Account'),
  noItems: 'The history has no alerts of this account.',
};

export const LISTS = { proxies, inventory, users, services, failures, changes, history };

export const LIST_PAGES: Readonly<Record<ListView, Page>> = {
  proxies: listPage(proxies),
  inventory: listPage(inventory),
  users: listPage(users),
  services: listPage(services),
  failures: listPage(failures),
  changes: listPage(changes),
  history: listPage(history),
};
