// Lists the pages of the ledgers, the users and the inventory.

import { METERED_TYPES, type MeteredType } from '../../../src/lib/product-types.ts';
import { userId } from '../../../src/simulator/identities.ts';
import type { ProviderRequest } from '../../support/faulty-provider.ts';
import { type Derived, type Part, RECONCILED } from './part.ts';

const SERVICES_FOUND: Derived = {
  group: 'services',
  reason: 'the ledgers and the inventory name the services that are read',
};

const COST: Derived = { group: 'cost', reason: 'it is that of the bytes in the ledgers' };

/** A page of a listing without a filter. */
const page =
  (endpoint: string, number: string, filter: string) =>
  ({ endpoint: requested, query }: ProviderRequest): boolean =>
    requested === endpoint && query.page === number && query.per_page === '100' && !(filter in query);

const LISTED = { name: { '1': 'the first page', '2': 'a later page' } } as const;

const ledgerPage = (type: MeteredType, number: '1' | '2'): Part => ({
  endpoint: `${type}_ledger/search`,
  name: LISTED.name[number],
  collectors: [`${type}_ledger`],
  matches: page(`${type}_ledger/search`, number, 'service_id'),
  rests: [{ group: type === 'mobile' ? 'mobileLedger' : 'ledger' }],
  derived: [COST, SERVICES_FOUND, RECONCILED],
});

const FORECASTS: Derived = {
  group: 'users',
  families: ['proxy_user_exhaustion_timestamp_seconds'],
  reason: 'forecasts are as of the full hour before the newest listing that saw all users',
};

/** The users of the first page are stored before the second page is requested. */
const userPage = (number: '1' | '2'): Part => ({
  endpoint: 'proxy_user/search',
  name: LISTED.name[number],
  collectors: ['proxy_users'],
  matches: page('proxy_user/search', number, 'proxy_user_id'),
  rests: [{ group: 'users', ...(number === '2' && { except: { proxy_user_id: [userId(0)] } }) }],
  derived: [RECONCILED, FORECASTS],
});

const inventoryPage = (number: '1' | '2'): Part => ({
  endpoint: 'proxy/search',
  name: LISTED.name[number],
  collectors: ['inventory'],
  matches: page('proxy/search', number, 'proxy_type'),
  rests: [{ group: 'inventory' }],
  derived: [SERVICES_FOUND],
});

export const LISTING_PARTS: readonly Part[] = [
  ...METERED_TYPES.flatMap((type) => [ledgerPage(type, '1'), ledgerPage(type, '2')]),
  userPage('1'),
  userPage('2'),
  inventoryPage('1'),
  inventoryPage('2'),
];
