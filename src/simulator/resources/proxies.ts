// Simulates the proxy endpoints: the inventory with addresses, credentials and places at any time.

import { DAY } from '../../lib/time.ts';
import type { Changes, Difference, Differences } from '../faults/changes.ts';
import { type Route, retrieveRoute } from '../http.ts';
import { type ProxyAddress, type ServiceIdentity, services, userId, userPassword } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { memoizeByObject } from '../memoize.ts';
import { draw, hashText, mix, pick, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { NETWORKS, type Network, networkOf, PLACES, proxyPlace } from './places.ts';
import { type Listing, searchRoute } from './search.ts';

export type InventoryProxy = ReturnType<typeof proxy>;

const STATUSES = ['reserved', 'waiting', 'pending_deletion'] as const;
/** Share of the proxies that are in use. */
const IN_USE_RATIO = 0.96;

export class Inventory implements Listing<InventoryProxy> {
  /** The proxies without any changes applied. */
  readonly unchangedRows: readonly InventoryProxy[];
  readonly liveFields: readonly string[] = [];
  readonly aliases = { proxy_user_id: 'proxy_user_ids' };
  readonly #seed: number;
  readonly #changes: Changes;
  readonly #changed: (differences: Differences<'proxy'>) => readonly InventoryProxy[];

  constructor(
    scenario: Scenario,
    local: LocalTime,
    start: number,
    changes: Changes,
    addressOf: (index: number) => ProxyAddress,
  ) {
    const owners = services(scenario);
    this.unchangedRows = Array.from({ length: scenario.proxies }, (_, index) => {
      const owner = owners[index % owners.length];
      return owner ? [proxy(scenario, local, start, owner, index, addressOf(index))] : [];
    }).flat();
    this.#seed = scenario.seed;
    this.#changes = changes;
    this.#changed = memoizeByObject((differences) => this.#withDifferences(differences));
  }

  rows(at: number): readonly InventoryProxy[] {
    const differences = this.#changes.at('proxy', at);
    return differences.size === 0 ? this.unchangedRows : this.#changed(differences);
  }

  /** Returns proxy number `index` at the time `at` (ms); undefined if the account does not have it then. */
  row(index: number, at: number): InventoryProxy | undefined {
    const row = this.unchangedRows[index];
    const difference = this.#changes.at('proxy', at).get(index);
    return row && difference ? this.#withDifference(row, difference) : row;
  }

  item(row: InventoryProxy): InventoryProxy {
    return row;
  }

  #withDifferences(differences: Differences<'proxy'>): readonly InventoryProxy[] {
    return this.unchangedRows.flatMap((row, index) => {
      const difference = differences.get(index);
      return (difference ? this.#withDifference(row, difference) : row) ?? [];
    });
  }

  #withDifference(row: InventoryProxy, { absent, set }: Difference<'proxy'>): InventoryProxy | undefined {
    return absent ? undefined : { ...row, ...set, ...dependentFields(this.#seed, row, set) };
  }
}

export const proxyRoutes = (inventory: Inventory, scenario: Scenario): Route[] => {
  const inUse = memoizeByObject(
    (rows: readonly InventoryProxy[]) => new Map(rows.filter(isInUse).map((row) => [row.proxy_id, row])),
  );
  return [
    searchRoute('proxy/search', inventory),
    retrieveRoute('proxy/retrieve', 'Proxy', ({ id, at }) => inUse(inventory.rows(at)).get(id)),
    retrieveRoute('ip_address/geolocate', 'IP address', ({ id, at }) => {
      const row = inventory.rows(at).find(({ proxy_ip_address }) => proxy_ip_address === id);
      return row && geolocation(row, scenario);
    }),
  ];
};

export const isInUse = ({ proxy_status }: InventoryProxy): boolean => proxy_status === 'in_use';

const proxy = (
  { seed, customer_id, users }: Scenario,
  local: LocalTime,
  start: number,
  owner: ServiceIdentity,
  index: number,
  { host, httpPort, socks5Port }: ProxyAddress,
) => {
  const hash = mix(mix(seed, hashText('proxy')), index);
  const place = pick(hash, 5, PLACES);
  return {
    proxy_id: uuid(seed, `proxy ${index}`),
    proxy_type: owner.type,
    proxy_protocol: 'ipv4',
    proxy_status: (draw(hash, 1) < IN_USE_RATIO ? 'in_use' : pick(hash, 2, STATUSES)) as string,
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
    ...(pick(hash, 4, NETWORKS) as Network),
    ...proxyPlace(place),
    subnet_id: subnetOf(host),
    subnet_id_v6: null,
  };
};

/** Returns the fields that depend on those that a change sets. */
const dependentFields = (
  seed: number,
  { service_id }: InventoryProxy,
  { proxy_ip_address: address, asn_id, city_id }: Partial<InventoryProxy>,
): Partial<InventoryProxy> => {
  const place = PLACES.find((candidate) => candidate.city_id === city_id);
  return {
    ...(address && { ip_address_id_v4: uuid(seed, `address ${address}`), subnet_id: subnetOf(address) }),
    ...(asn_id !== undefined && networkOf(asn_id)),
    ...(place && {
      ...proxyPlace(place),
      service_line_item_id: lineItemId(seed, service_id, place.country_id),
    }),
  };
};

/** The documentation does not say what is in the objects of `internal`. */
const geolocation = (row: InventoryProxy, { seed, placed_elsewhere_ratio: ratio }: Scenario) => {
  const hash = mix(seed, hashText(`geolocation ${row.proxy_ip_address}`));
  const other = PLACES.find(({ country_id }) => country_id !== row.country_id);
  const place = (draw(hash, 1) < ratio && other) || row;
  return {
    external: {
      ...{ asn_id: row.asn_id, city_name: place.city_name, country_id: place.country_id },
      ...{ latitude: place.city_latitude, longitude: place.city_longitude },
      ...{ timezone: place.city_timezone, zip_code: place.city_example_postcode ?? '' },
    },
    internal: { ip_address: { ip_address: row.proxy_ip_address }, country: { country_id: row.country_id } },
  };
};

const subnetOf = (address: string): string => address.replace(/\d+$/, '0/24');

/** Returns the id of a line item. A service has one line item per country. */
export const lineItemId = (seed: number, serviceId: string, countryId: string): string =>
  uuid(seed, `line item ${serviceId} ${countryId}`);
