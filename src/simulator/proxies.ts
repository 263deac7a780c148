// proxy: the inventory, with addresses, credentials and places.

import { DAY } from '../lib/time.ts';
import { Refusal, type Route } from './http.ts';
import { proxyAddress, type ServiceIdentity, services, userId, userPassword } from './identities.ts';
import type { LocalTime } from './local-time.ts';
import { draw, hashText, mix, pick, uuid } from './random.ts';
import type { Scenario } from './scenario.ts';
import { searchRoute } from './search.ts';

export interface InventoryProxy extends Readonly<Record<string, unknown>> {
  readonly proxy_id: string;
  readonly proxy_status: string;
  readonly proxy_ip_address: string;
  readonly proxy_http_port: number;
  readonly proxy_socks5_port: number;
  readonly default_proxy_user_username: string;
  readonly default_proxy_user_password: string;
  readonly service_id: string;
  readonly city_id: number;
  readonly city_name: string;
  readonly country_id: string;
  readonly asn_id: number;
  readonly asn_name: string;
}

const PLACES = [
  {
    ...{
      country_id: 'gb',
      country_name: 'United Kingdom',
      subdivision_id: 'gb-eng',
      subdivision_name: 'England',
    },
    ...{ city_id: 200, city_name: 'London', city_latitude: 51.5072, city_longitude: -0.1276 },
    ...{ city_example_postcode: 'EC1A', city_timezone: 'Europe/London' },
  },
  {
    ...{ country_id: 'de', country_name: 'Germany', subdivision_id: 'de-he', subdivision_name: 'Hesse' },
    ...{ city_id: 201, city_name: 'Frankfurt', city_latitude: 50.1109, city_longitude: 8.6821 },
    ...{ city_example_postcode: '60311', city_timezone: 'Europe/Berlin' },
  },
  {
    ...{
      country_id: 'fr',
      country_name: 'France',
      subdivision_id: 'fr-idf',
      subdivision_name: 'Île-de-France',
    },
    ...{ city_id: 202, city_name: 'Paris', city_latitude: 48.8566, city_longitude: 2.3522 },
    ...{ city_example_postcode: '75001', city_timezone: 'Europe/Paris' },
  },
  {
    ...{
      country_id: 'us',
      country_name: 'United States',
      subdivision_id: 'us-ny',
      subdivision_name: 'New York',
    },
    ...{ city_id: 203, city_name: 'New York', city_latitude: 40.7128, city_longitude: -74.006 },
    ...{ city_example_postcode: '10001', city_timezone: 'America/New_York' },
  },
] as const;
const NETWORKS = [
  { asn_id: 64_500, asn_name: 'Example Hosting' },
  { asn_id: 64_501, asn_name: 'Example Broadband' },
  { asn_id: 64_502, asn_name: 'Example Telecom' },
] as const;
const STATUSES = ['reserved', 'waiting', 'pending_deletion'] as const;
/** Part of the proxies that are in use. */
const IN_USE = 0.96;

export const allProxies = (
  scenario: Scenario,
  local: LocalTime,
  start: number,
): readonly InventoryProxy[] => {
  const owners = services(scenario);
  return Array.from({ length: scenario.proxies }, (_, index) => {
    const owner = owners[index % owners.length];
    return owner ? [proxy(scenario, local, start, owner, index)] : [];
  }).flat();
};

export const proxyRoutes = (proxies: readonly InventoryProxy[]): Route[] => {
  const inUse = new Map(proxies.filter(isInUse).map((item) => [item.proxy_id, item]));
  return [
    searchRoute('proxy/search', {
      rows: () => proxies,
      item: (item) => item,
      liveFields: [],
      aliases: { proxy_user_id: 'proxy_user_ids' },
    }),
    {
      method: 'GET',
      endpoint: 'proxy/retrieve',
      takesId: true,
      handle: ({ id }) => {
        const data = inUse.get(id);
        if (!data) throw new Refusal(404, 'Proxy not found.');
        return { data, message: 'Proxy retrieved.' };
      },
    },
  ];
};

const isInUse = ({ proxy_status }: InventoryProxy): boolean => proxy_status === 'in_use';

const proxy = (
  { seed, customer_id, users }: Scenario,
  local: LocalTime,
  start: number,
  owner: ServiceIdentity,
  index: number,
): InventoryProxy => {
  const hash = mix(mix(seed, hashText('proxy')), index);
  const place = pick(hash, 5, PLACES);
  const { host, httpPort, socks5Port } = proxyAddress(index);
  return {
    proxy_id: uuid(seed, `proxy ${index}`),
    proxy_type: owner.type,
    proxy_protocol: 'ipv4',
    proxy_status: draw(hash, 1) < IN_USE ? 'in_use' : pick(hash, 2, STATUSES),
    proxy_ip_address: host,
    proxy_ip_address_v6: null,
    ip_address_id_v4: uuid(seed, `address ${index}`),
    ip_address_id_v6: null,
    proxy_http_port: httpPort,
    proxy_socks5_port: socks5Port,
    proxy_last_update_datetime: local.datetime(start - Math.floor(draw(hash, 3) * 90) * DAY),
    proxy_user_ids: users > 0 ? [userId(0)] : [],
    default_proxy_user_username: userId(0),
    default_proxy_user_password: userPassword(seed, 0),
    customer_id,
    service_id: owner.id,
    service_line_item_id: lineItemId(seed, owner.id, place.country_id),
    ...pick(hash, 4, NETWORKS),
    ...place,
    subnet_id: '203.0.113.0/24',
    subnet_id_v6: null,
  };
};

/** A service has one line item a country. */
export const lineItemId = (seed: number, serviceId: string, countryId: string): string =>
  uuid(seed, `line item ${serviceId} ${countryId}`);
