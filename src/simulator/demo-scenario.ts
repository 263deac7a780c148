// Defines the account of the demo, which is active enough that every dashboard and every kind of alert shows something.

import { proxyAddress } from './identities.ts';
import type { ListedProxy } from './proxies/simulated-proxy.ts';
import type { ScenarioInput } from './scenario.ts';

export const demoScenario: ScenarioInput = {
  seed: 7,
  pace: null,
  users: 30,
  proxies: 25,
  services: 4,
  proxy_incident_ratio: 0.05,
  traffic: { late: { ratio: 0.02 }, revised: { ratio: 0.01 } },
  log: { leaks: [{ user: 5, address: '203.0.113.9', ratio: 0.5, from: '2020-01-01T00:00:00Z' }] },
  ledger: { top_up_bytes: 75_000_000_000, per_service: true },
  outages: [
    { kind: 'proxy', subject: proxyAddress(4).host },
    { kind: 'proxy', subject: proxyAddress(17).host, error_code: 'connection_timeout' },
    { kind: 'proxy', subject: proxyAddress(14).host, flap: { period_minutes: 180, bad_minutes: 60 } },
    {
      kind: 'tester',
      subject: 'singapore-1-digitalocean-proxytester-1',
      flap: { period_minutes: 120, bad_minutes: 30 },
    },
    { kind: 'target', subject: 'shop.example', flap: { period_minutes: 240, bad_minutes: 40 } },
  ],
  // The provider's testers do not notice these: wrong credentials, and a user without bytes.
  proxy_faults: [
    { kind: 'code', subject: proxyAddress(12).host, code: 2_011 },
    { kind: 'code', subject: proxyAddress(22).host, code: 4_221 },
  ],
  changes: [
    { kind: 'product', subject: 'isp_us', set: { product_stock: 0 } },
    {
      ...{ kind: 'product', subject: 'datacenter_de', set: { product_stock: 0 } },
      flap: { period_minutes: 720, bad_minutes: 240 },
    },
    {
      ...{ kind: 'service', subject: 1, flap: { period_minutes: 1_440, bad_minutes: 360 } },
      set: { service_status: 'paused', service_subscription_is_paused: true },
    },
    {
      // A cycle of a week always ends within a week.
      ...{ kind: 'service', subject: 3 },
      set: {
        service_cycle: '1:week',
        service_is_automatic_collection: false,
        service_is_pending_cancellation: true,
      },
    },
    // Each change lasts longer than a step of the replay, so the replay observes all of them.
    { kind: 'proxy', subject: 8, absent: true, flap: { period_minutes: 2_880, bad_minutes: 1_440 } },
    {
      ...{ kind: 'proxy', subject: 21, set: { proxy_ip_address: '192.0.2.21', asn_id: 64_510 } },
      flap: { period_minutes: 2_160, bad_minutes: 1_080 },
    },
    {
      ...{ kind: 'proxy', subject: 16, set: { city_id: 201 } },
      flap: { period_minutes: 1_440, bad_minutes: 720 },
    },
  ],
};

/** Products to monitor: one is in stock, one is sometimes sold out, and one is always sold out. */
export const DEMO_PRODUCTS = ['isp_gb', 'datacenter_de', 'isp_us'];

/** Returns the account's proxies as a customer would list them for tests. */
export const demoProxies = (
  proxies: readonly ListedProxy[],
): { name: string; product_type: string; proxy: string }[] =>
  proxies.map(({ type, host, port, username, password }, index) => ({
    name: `${type}-${index + 1}`,
    product_type: type,
    proxy: `${host}:${port}:${username}:${password}`,
  }));
