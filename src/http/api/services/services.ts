// Serves GET /api/v1/services and single services, from the provider's newest answers.

import { z } from 'zod';
import type { AccountSettings } from '../../../collectors/context.ts';
import type { StoredService } from '../../../store/service-store.ts';
import { amount, count, currency, flag, text, time } from '../fields.ts';
import { accountItemOf } from '../item.ts';
import { indexedList } from '../lists/indexed-list.ts';
import { hasWord } from '../lists/row-tests.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, revisionOfParts, route } from '../route.ts';
import { SERVICE_SORTS, serviceColumns, serviceSource } from './service-index.ts';

/** A service with the currency of its account. */
type PricedService = StoredService & Pick<AccountSettings, 'currency'>;

export const { schema: service, json: serviceJson } = accountItemOf<PricedService>()('Service', (from) => ({
  service_id: from(text, ({ id }) => id),
  service_name: from(text.nullable(), ({ name }) => name),
  product_type: text.nullable(),
  protocol: text.nullable(),
  status: text.nullable(),
  country_id: text.nullable(),
  cycle: text.nullable().describe('Billing cycle as `<count>:<interval>`, such as `1:month`'),
  quantity: amount.nullable(),
  price: amount.nullable().describe('Price of a cycle in cents of `currency`'),
  currency,
  is_paused: flag.nullable(),
  is_pending_cancellation: flag.nullable(),
  is_automatic_collection: flag.nullable(),
  has_open_invoice: flag,
  has_payment_method: flag.nullable(),
  expires_at: time.nullable(),
  earliest_cancellation_at: time.nullable(),
  created_at: time.nullable(),
  updated_at: time.nullable(),
  dispatched_at: time.nullable(),
  is_reconfigurable: flag.nullable(),
  promotional_code: text.nullable(),
  subscription_id: text.nullable(),
  subscription_schedule_id: text.nullable(),
  line_items: from(
    z.array(z.strictObject({ line_item_id: text.nullable(), country_id: text.nullable(), quantity: amount })),
    ({ lineItems }) =>
      lineItems.map(({ id, countryId, quantity }) => ({
        ...{ line_item_id: id || null, country_id: countryId || null, quantity },
      })),
  ),
  proxies: z
    .record(text, count)
    .nullable()
    .describe('Number of proxies by status, or null if the collector did not count them'),
  answered_at: time.describe('Time of the provider’s answer'),
}));

const revision = revisionOfParts(['services']);

const list = indexedList({
  path: '/api/v1/services',
  collector: 'services',
  summary: 'Purchased services',
  query: {
    status: parameters.texts.describe('Only services with this status. You can repeat the parameter'),
    product_type: parameters.texts.describe('Only services of this type. You can repeat the parameter'),
    country_id: parameters.texts.describe('Only services in this country. You can repeat the parameter'),
  },
  item: service,
  revision,
  columns: serviceColumns,
  // An account has few services, and the store reads them together.
  keepsItems: true,
  searched: ['name', 'productType', 'countryId'],
  sorts: SERVICE_SORTS,
  defaultSort: 'state',
  sortText:
    '`state`: services that are not active, that expire soon, that are paused, of unknown status, with a pending cancellation, active services, and services that are over. Services without a known value come last',
  source: serviceSource,
  filter: (index, { status, product_type, country_id }) => [
    ...hasWord(index, ['status'], status),
    ...hasWord(index, ['productType'], product_type),
    ...hasWord(index, ['countryId'], country_id),
  ],
  read: async ({ account, item }, view) => {
    const settings = view.account(account)?.settings;
    return item && settings && serviceJson(account, { ...item, currency: settings.currency });
  },
});

export const SERVICE_ROUTES = [
  list.route,
  route({
    path: '/api/v1/accounts/{account}/services/{service_id}',
    collector: 'services',
    summary: 'One purchased service',
    query: {},
    answer: service.extend({}).meta({ id: 'ServiceDetails' }),
    revision,
    read: async ({ view, path: { account: name = '', service_id: id = '' } }) => {
      const account = accountWithCollector(view, name, 'services');
      const services = await account?.store.services.services(name);
      const found = services?.find((each) => each.id === id);
      return account && found
        ? serviceJson(name, { ...found, currency: account.settings.currency })
        : new ApiError(404, `service_id: "${id}" is not known`);
    },
  }),
];
