// service: the account's subscriptions and, when asked for, their proxies.

import { DAY } from '../lib/time.ts';
import { booleanOf, Refusal, type Route } from './http.ts';
import { type ServiceIdentity, services } from './identities.ts';
import type { LocalTime } from './local-time.ts';
import { type InventoryProxy, lineItemId } from './proxies.ts';
import { draw, hashText, mix, uuid } from './random.ts';
import type { Scenario } from './scenario.ts';

interface Account {
  readonly scenario: Scenario;
  readonly local: LocalTime;
  /** Start of the account's history in milliseconds. */
  readonly start: number;
  readonly proxies: readonly InventoryProxy[];
}

const CYCLE = 30 * DAY;

export const serviceRoute = (account: Account): Route => {
  const owned = new Map(services(account.scenario).map((service) => [service.id, service]));
  const proxiesOf = Map.groupBy(account.proxies, ({ service_id }) => service_id);
  return {
    method: 'GET',
    endpoint: 'service/retrieve',
    takesId: true,
    handle: ({ id, query, at }) => {
      const identity = owned.get(id);
      if (!identity) throw new Refusal(404, 'Service not found.');
      const proxies = proxiesOf.get(id) ?? [];
      const data = {
        ...serviceOf(account, identity, proxies, at),
        ...(booleanOf(query, 'proxies') && { proxies }),
      };
      return { data, message: 'Service retrieved.' };
    },
  };
};

const serviceOf = (
  { scenario, local, start }: Account,
  { id, type }: ServiceIdentity,
  proxies: readonly InventoryProxy[],
  at: number,
) => {
  const hash = mix(mix(scenario.seed, hashText('service')), hashText(id));
  const createdAt = start - Math.floor(draw(hash, 1) * CYCLE);
  const renewedAt = createdAt + Math.floor((at - createdAt) / CYCLE) * CYCLE;
  return {
    service_id: id,
    service_name: `${type} ${id.slice(-4)}`,
    service_type: type,
    service_protocol: 'ipv4',
    service_status: 'active',
    service_quantity: proxies.filter(({ proxy_status }) => proxy_status === 'in_use').length,
    service_total: 100 * (10 + Math.floor(draw(hash, 2) * 500)),
    service_cycle: '1:month',
    service_creation_datetime: local.datetime(createdAt),
    service_last_update_datetime: local.datetime(Math.max(createdAt, renewedAt)),
    service_dispatch_datetime: null,
    service_earliest_cancellation_datetime: local.datetime(createdAt + CYCLE),
    service_expiry_datetime: local.datetime(renewedAt + CYCLE),
    service_image: 'https://www.example.com/service.png',
    service_is_automatic_collection: draw(hash, 3) < 0.7,
    service_is_pending_cancellation: false,
    service_is_reconfigurable: true,
    service_subscription_is_paused: false,
    service_promotional_code: null,
    service_subscription_id: uuid(scenario.seed, `subscription ${id}`),
    subscription_schedule_id: null,
    open_invoice_id: null,
    payment_method_id: null,
    country_id: 'gb',
    service_metadata: {},
    line_items: [...Map.groupBy(proxies, ({ country_id }) => country_id)].map(([country_id, located]) => ({
      service_line_item_id: lineItemId(scenario.seed, id, country_id),
      country_id,
      quantity: located.length,
    })),
  };
};
