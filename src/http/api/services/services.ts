// Serves GET /api/v1/services and single services, from the provider's newest answers.

import { z } from 'zod';
import type { AccountSettings } from '../../../collectors/context.ts';
import type { StoredService } from '../../../store/service-store.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { account, amount, count, currency, flag, text, time } from '../fields.ts';
import { indexedList } from '../lists/indexed-list.ts';
import { hasWord } from '../lists/row-tests.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, revisionOfParts, route } from '../route.ts';
import { SERVICE_SORTS, serviceColumns, serviceSource } from './service-index.ts';

export const service = z
  .strictObject({
    account,
    service_id: text,
    service_name: text.nullable(),
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
    line_items: z.array(
      z.strictObject({ line_item_id: text.nullable(), country_id: text.nullable(), quantity: amount }),
    ),
    proxies: z
      .record(text, count)
      .nullable()
      .describe('Number of proxies by status, or null if the collector did not count them'),
    answered_at: time.describe('Time of the provider’s answer'),
  })
  .meta({ id: 'Service' });

const serviceJson = ({ name: account, currency }: AccountSettings, service: StoredService) => ({
  account,
  service_id: service.id,
  service_name: service.name,
  product_type: service.productType,
  protocol: service.protocol,
  status: service.status,
  country_id: service.countryId,
  cycle: service.cycle,
  quantity: service.quantity,
  price: service.price,
  currency,
  is_paused: service.isPaused,
  is_pending_cancellation: service.isPendingCancellation,
  is_automatic_collection: service.isAutomaticCollection,
  has_open_invoice: service.hasOpenInvoice,
  has_payment_method: service.hasPaymentMethod,
  expires_at: rfc3339(service.expiresAt),
  earliest_cancellation_at: rfc3339(service.earliestCancellationAt),
  created_at: rfc3339(service.createdAt),
  updated_at: rfc3339(service.updatedAt),
  dispatched_at: rfc3339(service.dispatchedAt),
  is_reconfigurable: service.isReconfigurable,
  promotional_code: service.promotionalCode,
  subscription_id: service.subscriptionId,
  subscription_schedule_id: service.subscriptionScheduleId,
  line_items: service.lineItems.map(({ id, countryId, quantity }) => ({
    line_item_id: id || null,
    country_id: countryId || null,
    quantity,
  })),
  proxies: service.proxies && { ...service.proxies },
  answered_at: rfc3339(service.answeredAt),
});

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
    return item && settings && serviceJson(settings, item);
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
        ? serviceJson(account.settings, found)
        : new ApiError(404, `service_id: "${id}" is not known`);
    },
  }),
];
