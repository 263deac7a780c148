// Serves GET /api/v1/customers: what the provider says of the customer of each account.

import { z } from 'zod';
import { METERED_TYPES } from '../../lib/product-types.ts';
import type { CustomerState, StoredSummary } from '../../store/service-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { accountItemOf, currency, itemOf, orNull, time } from './item.ts';
import { shortListRoute } from './list-route.ts';
import { revisionOfParts } from './route.ts';

const summary = itemOf<StoredSummary>()('Summary', () => ({
  product_type: z.enum(METERED_TYPES),
  answered_at: time,
  bought_bytes: orNull.amount,
  left_bytes: orNull.amount,
  used_bytes: orNull.amount,
}));

interface Customer extends CustomerState {
  readonly currency: string;
  readonly summaries: readonly StoredSummary[];
}

export const { schema: customer, json: customerJson } = accountItemOf<Customer>()('Customer', (from) => ({
  answered_at: time,
  credit: orNull.amount.describe('Store credit in cents'),
  currency,
  residential_left_bytes: orNull.amount,
  mobile_left_bytes: orNull.amount,
  proxies: orNull.count,
  proxy_user_limit: from(orNull.count, 'userLimit'),
  is_residential_paused: orNull.flag,
  is_mobile_paused: orNull.flag,
  kyc_level: orNull.text.describe('How far the provider has verified the customer'),
  is_kyc_pending: orNull.flag,
  is_trial_pending: orNull.flag,
  summaries: from(
    z.array(summary.schema).describe('The sums of the product types whose services the account has'),
    ({ summaries }) => summaries.map(summary.json),
  ),
}));

const readCustomers = async ({ settings: { name, currency }, store }: AccountView): Promise<Customer[]> => {
  const state = await store.customers.state(name);
  return state ? [{ ...state, currency, summaries: await store.customers.summaries(name) }] : [];
};

export const CUSTOMER_ROUTE = shortListRoute({
  path: '/api/v1/customers',
  collector: 'customer',
  summary: 'Store credit, limits and state of the customer of each account',
  query: {},
  item: customer,
  revision: revisionOfParts(['customers']),
  items: readCustomers,
  idOf: () => '',
  toJson: customerJson,
});
