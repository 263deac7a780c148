// Simulates service/retrieve and service/search: the account's subscriptions with their line items and, on request, their proxies.

import type { Changes } from '../faults/changes.ts';
import { type ApiCall, booleanOf, type Route, retrieveRoute } from '../http.ts';
import { type ServiceIdentity, services } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { memoizeByObject } from '../memoize.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { cycleMs, unitPrice } from './catalog.ts';
import { type Inventory, type InventoryProxy, isInUse, lineItemId } from './proxies.ts';
import { searchRoute } from './search.ts';

export interface ServiceContext {
  readonly scenario: Scenario;
  readonly local: LocalTime;
  /** Start of the account's history in milliseconds. */
  readonly start: number;
  readonly inventory: Inventory;
  readonly changes: Changes;
}

const CYCLE = '1:month';

export const serviceRoutes = (context: ServiceContext): Route[] => {
  const { inventory, changes } = context;
  const owned = services(context.scenario);
  const byService = memoizeByObject((rows: readonly InventoryProxy[]) =>
    Map.groupBy(rows, ({ service_id }) => service_id),
  );
  const proxiesOf = (rows: readonly InventoryProxy[], id: string) => byService(rows).get(id) ?? [];
  const find = (id: string, withProxies: boolean, at: number) => {
    const index = owned.findIndex((service) => service.id === id);
    const { absent = false, set = {} } = changes.at('service', at).get(index) ?? {};
    const identity = owned[index];
    if (!identity || absent) return undefined;
    const unchangedProxies = proxiesOf(inventory.unchangedRows, id).filter(isInUse);
    return {
      ...serviceOf(context, identity, { unchangedProxies, cycle: set.service_cycle ?? CYCLE, at }),
      ...set,
      ...(withProxies && { proxies: proxiesOf(inventory.rows(at), id) }),
    };
  };
  const endpoint = 'service/search';
  const search = (call: ApiCall) => {
    const query = new URLSearchParams(call.query);
    const withProxies = booleanOf(query, 'proxies');
    query.delete('proxies');
    const rows = owned.flatMap(({ id }) => find(id, withProxies, call.at) ?? []);
    const route = searchRoute(endpoint, { rows: () => rows, item: (service) => service, liveFields: [] });
    return route.handle({ ...call, query });
  };
  return [
    retrieveRoute('service/retrieve', 'Service', ({ id, query, at }) =>
      find(id, booleanOf(query, 'proxies'), at),
    ),
    { method: 'GET', endpoint, handle: search },
  ];
};

interface ServiceState {
  /** Proxies that the service has without any changes applied. */
  readonly unchangedProxies: readonly InventoryProxy[];
  readonly cycle: string;
  readonly at: number;
}

/** Money is in whole cents. Some missing values are null, and `subscription_schedule_id` is left out. */
const serviceOf = (
  { scenario, local, start }: ServiceContext,
  { id, type }: ServiceIdentity,
  { unchangedProxies, cycle, at }: ServiceState,
) => {
  const hash = mix(mix(scenario.seed, hashText('service')), hashText(id));
  const length = cycleMs(cycle);
  const createdAt = start - Math.floor(draw(hash, 1) * length);
  const renewedAt = createdAt + Math.floor((at - createdAt) / length) * length;
  const price = unitPrice(type, cycle);
  return {
    service_id: id,
    service_name: `${type} ${id.slice(-4)}`,
    service_type: type,
    service_protocol: 'ipv4',
    service_status: 'active',
    service_quantity: unchangedProxies.length,
    service_total: price * unchangedProxies.length,
    service_cycle: cycle,
    service_creation_datetime: local.datetime(createdAt),
    service_last_update_datetime: local.datetime(Math.max(createdAt, renewedAt)),
    service_dispatch_datetime: null,
    service_earliest_cancellation_datetime: local.datetime(createdAt + length),
    service_expiry_datetime: local.datetime(renewedAt + length),
    service_image: 'https://www.example.com/service.png',
    service_is_automatic_collection: draw(hash, 3) < 0.7,
    service_is_pending_cancellation: false,
    service_is_reconfigurable: true,
    service_subscription_is_paused: false,
    service_promotional_code: null,
    service_subscription_id: uuid(scenario.seed, `subscription ${id}`),
    open_invoice_id: null,
    payment_method_id: null,
    country_id: 'gb',
    service_metadata: {},
    line_items: [...Map.groupBy(unchangedProxies, ({ country_id }) => country_id)].map(
      ([country_id, located]) => ({
        service_line_item_id: lineItemId(scenario.seed, id, country_id),
        country_id,
        quantity: located.length,
        total: price * located.length,
      }),
    ),
  };
};
