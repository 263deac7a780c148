// Serves GET /api/v1/services and single services, from the provider's newest answers.

import { z } from 'zod';
import type { AccountSettings } from '../../collectors/context.ts';
import {
  type EffectiveStatus,
  effectiveStatusOf,
  FOUND_STATUSES,
  isExpiring,
  lacksProxies,
  missingProxies,
  proxiesInUse,
  shownServices,
} from '../../collectors/services/effective-status.ts';
import { DAY, SECOND } from '../../lib/time.ts';
import type { StoredService } from '../../store/service-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { accountItemOf, amount, count, currency, flag, orNull, text, time } from './item.ts';
import { indexedList, pageOfAll } from './lists/indexed-list.ts';
import * as parameters from './parameters.ts';
import { accountWithCollector, itemRoute, revisionOfParts } from './route.ts';

/** A service with the currency of its account, and what the alerts with the account's thresholds say about it. */
interface JudgedService extends StoredService, Pick<AccountSettings, 'currency'> {
  readonly isExpiring: boolean;
  readonly lacksProxies: boolean;
}

export const { schema: service, json: serviceJson } = accountItemOf<JudgedService>()('Service', (from) => ({
  service_id: from(text, 'id'),
  service_name: from(orNull.text, 'name'),
  product_type: orNull.text,
  protocol: orNull.text,
  status: orNull.text,
  effective_status: from(
    z
      .enum(FOUND_STATUSES)
      .describe(
        '`not_active`: overdue, canceled, or another status that is not active. `over`: complete, or ended so long ago that no alert reports it',
      ),
    effectiveStatusOf,
  ),
  country_id: orNull.text,
  cycle: orNull.text.describe('Billing cycle as `<count>:<interval>`, such as `1:month`'),
  quantity: orNull.amount,
  price: orNull.amount.describe('Price of a cycle in cents of `currency`'),
  currency,
  is_expiring: flag.describe('Whether the condition of the alert `ServiceExpiringSoon` holds'),
  is_paused: orNull.flag,
  is_pending_cancellation: orNull.flag,
  is_automatic_collection: orNull.flag,
  has_open_invoice: flag,
  has_payment_method: orNull.flag,
  expires_at: orNull.time,
  earliest_cancellation_at: orNull.time,
  created_at: orNull.time,
  updated_at: orNull.time,
  dispatched_at: orNull.time,
  is_reconfigurable: orNull.flag,
  promotional_code: orNull.text,
  subscription_id: orNull.text,
  subscription_schedule_id: orNull.text,
  line_items: from(
    z.array(z.strictObject({ line_item_id: orNull.text, country_id: orNull.text, quantity: amount })),
    ({ lineItems }) =>
      lineItems.map(({ id, countryId, quantity }) => ({
        ...{ line_item_id: id || null, country_id: countryId || null, quantity },
      })),
  ),
  proxies: z
    .record(text, count)
    .nullable()
    .describe('Number of proxies by status, or null if the collector did not count them'),
  proxies_in_use: from(
    orNull.count.describe('Number of proxies that are in use. Null as with `missing_proxies`'),
    proxiesInUse,
  ),
  missing_proxies: from(
    orNull.count.describe(
      'Number of bought proxies that are not in use. Null if it is unknown, or if the provider sells the service by the byte',
    ),
    missingProxies,
  ),
  lacks_proxies: flag.describe('Whether the condition of the alert `ServiceProxiesMissing` holds'),
  answered_at: time.describe('Time of the provider’s answer'),
}));

/** A service is about to expire within this time (ms), unless the alert has another threshold. */
const EXPIRING_MS = 7 * DAY;

/** Returns all services that were ever read, for reports about the past. */
export const readServices = async ({ store, settings }: Pick<AccountView, 'store' | 'settings'>) =>
  judged(await store.services.services(settings.name), settings);

const readShown = async ({ store, settings, serviceOptions: options }: AccountView) =>
  judged(await shownServices({ store, account: settings, options }), settings);

const judged = (services: readonly StoredService[], settings: AccountSettings) => {
  const { ServiceExpiringSoon: threshold, ServiceProxiesMissing: tolerated = 0 } = settings.thresholds;
  const withinMs = threshold === undefined ? EXPIRING_MS : threshold * SECOND;
  return services.map((service) => ({
    ...service,
    currency: settings.currency,
    isExpiring: isExpiring(service, withinMs),
    lacksProxies: lacksProxies(service, tolerated),
    urgency: urgencyOf(service, withinMs),
  }));
};

/** The most urgent state is the lowest. */
const RANKS: Readonly<Record<EffectiveStatus, number>> = {
  not_active: 0,
  gone: 0,
  // 1 is a service that expires soon.
  paused: 2,
  unknown: 3,
  // 4 is a service that will end because of a pending cancellation.
  awaiting: 5,
  active: 5,
  over: 6,
};

const urgencyOf = (service: StoredService, withinMs: number): number => {
  if (isExpiring(service, withinMs)) return 1;
  const rank = RANKS[effectiveStatusOf(service)];
  return service.isPendingCancellation && rank === RANKS.active ? 4 : rank;
};

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
  choices: ['status', 'product_type', 'country_id'],
  revision,
  columns: {
    words: {
      service_name: ({ name }: JudgedService & { readonly urgency: number }) => name,
      status: ({ status }) => status,
      product_type: ({ productType }) => productType,
      country_id: ({ countryId }) => countryId,
    },
    numbers: {
      state: ({ urgency }) => urgency,
      expires_at: ({ expiresAt }) => expiresAt,
      price: ({ price }) => price,
    },
  },
  // An account has few services, and the store reads them together.
  keepsItems: true,
  searched: ['service_name', 'product_type', 'country_id'],
  sorts: ['state', 'service_name', 'status', 'product_type', 'expires_at', 'price'],
  defaultSort: 'state',
  sortText:
    '`state`: services that are not active, that expire soon, that are paused, of unknown status, with a pending cancellation, active services, and services that are over. Services without a known value come last',
  pages: pageOfAll('services', readShown),
  read: async ({ account, item }) => item && serviceJson(account, item),
});

export const SERVICE_ROUTES = [
  list.route,
  itemRoute({
    path: '/api/v1/accounts/{account}/services/{service_id}',
    collector: 'services',
    summary: 'One purchased service',
    query: {},
    answer: service.extend({}).meta({ id: 'ServiceDetails' }),
    revision,
    find: async (view, name, id) => {
      const account = accountWithCollector(view, name, 'services');
      const found = account && (await readShown(account)).find((each) => each.id === id);
      return found && serviceJson(name, found);
    },
  }),
];
