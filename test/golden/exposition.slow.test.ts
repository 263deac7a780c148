// Compares the exposition of an account with every family to golden files, which `npm run renew` renews.

import { expect, test } from 'vitest';
import { FAMILIES, optionalSections } from '../../src/collectors/index.ts';
import { HOUR } from '../../src/lib/time.ts';
import { proxyAddress, services, userId, userPassword } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { Harness } from '../support/harness.ts';
import { Samples } from '../support/samples.ts';

const SCENARIO: ScenarioInput = {
  start: '2026-07-03T00:00:00Z',
  users: 3,
  deleted_user_ratio: 0,
  services: 4,
  proxies: 8,
  placed_elsewhere_ratio: 0.5,
  testers: ['london', 'paris'].map((id) => ({ id, city_id: 1, city_name: id, country_id: 'gb' })),
  traffic: { revised: { ratio: 0.02, longest_minutes: 300 } },
  ledger: { per_service: true, top_up_every_days: 2 },
};
const PROXIES = [0, 1, 2, 3];

const REPLACED = {
  kind: 'proxy',
  subject: 6,
  set: { proxy_ip_address: '192.0.2.6', asn_id: 64_510 },
} as const;

const PARSED = parseScenario(SCENARIO);
const [SERVICE] = services(PARSED).map(({ id }) => id);

const proxyLine = (index: number): string => {
  const { host, httpPort } = proxyAddress(index);
  return `${host}:${httpPort}:${userId(0)}:${userPassword(PARSED.seed, 0)}`;
};

const testsOf = (proxies: readonly number[]) => ({
  schedule: '0 * * * *',
  urls: ['https://shop.example/?token=t0ken'],
  proxies: proxies.map((index) => ({
    name: `fr-${index + 1}`,
    product_type: index < 2 ? 'isp' : 'datacenter',
    proxy: proxyLine(index),
  })),
});

/** The third proxy refuses its credentials here, and all others answer with their own addresses. */
const prober = new FakeProber();
prober.answer = ({ at, target }) => {
  if (at === proxyAddress(2).host) return failed('tunnel', 'credentials', { refusal: 'credentials' });
  return target === '/ip' ? { ...passed, body: at } : passed;
};

const buildHarness = (): Promise<Harness> =>
  Harness.build({
    probe: prober.probe,
    now: '2026-07-05T12:01:30Z',
    scenario: SCENARIO,
    account: {
      ...optionalSections({ schedule: '0 * * * *' }),
      traffic: {
        schedule: '0 * * * *',
        catch_up: '37h',
        reread: '6h',
        expect: { min_requests: 100 },
        graphs: [
          { name: 'shop', hostname: 'shop.example', expect: { within: '2h' } },
          { name: 'residential', product_type: 'residential' },
          { name: 'service', service_id: SERVICE, product_type: 'datacenter' },
        ],
      },
      residential_ledger: { schedule: '0 * * * *' },
      prices: { schedule: '0 * * * *', residential: 3.5, mobile: 6, budget: { month: 1_000 } },
      request_log: { schedule: '0 * * * *', client_addresses: { allow: ['198.51.100.0/29'] } },
      inventory: { max_geolocations_per_day: 50 },
      services: { schedule: '0 */6 * * *' },
      proxy_users: { schedule: '0 * * * *' },
      proxy_tests: testsOf(PROXIES),
      probes: {
        schedule: '0 * * * *',
        urls: ['https://shop.example/?token=t0ken'],
        proxies: [{ search: { proxy_type: 'isp' } }],
        exit: { url: 'https://echo.example/ip' },
      },
      catalog: { schedule: '0 * * * *', alert_on: ['isp_de', 'isp_xx'], max_series_products: 3 },
      quotes: {
        schedule: '0 * * * *',
        items: [
          { name: 'isp-gb', product_code: 'isp_gb', quantity: 10, promotional_code: 'WELCOME' },
          { name: 'isp-de', product_type: 'isp', locations: [{ country_id: 'de', quantity: 1 }] },
        ],
      },
      geography: {
        ...{ schedule: '0 * * * *', asns: [64_500], cities: [202], subdivisions: ['fr-idf'] },
        availability: { residential: ['gb'], mobile: ['gb'] },
      },
    },
  });

/** Runs more than a day: a proxy fails, a product sells out, a proxy is replaced, the catalog fails, and a proxy is added. */
const runAccount = async (harness: Harness): Promise<void> => {
  for (let hour = 0; hour < 26; hour += 1) {
    if (hour === 20) harness.simulator.outages.add({ kind: 'proxy', subject: proxyAddress(2).host });
    if (hour === 21)
      harness.simulator.changes.add({ kind: 'product', subject: 'isp_de', set: { product_stock: 0 } });
    if (hour === 22) harness.simulator.changes.add(REPLACED);
    if (hour === 25)
      harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'checkout/catalog' });
    await harness.advance(HOUR);
  }
  await harness.restart({ proxy_tests: testsOf([...PROXIES, 4]) });
};

/** Returns the families that are read from the store, without those of the daemon itself, which vary. */
const storedFamilies = (exposition: string): string => {
  const names = new Set(FAMILIES.flatMap(({ name }) => [name, name.replace(/_total$/, '')]));
  const blocks = exposition.split(/^(?=# HELP )/m);
  const trailer = exposition.endsWith('# EOF\n') ? '# EOF\n' : '';
  return blocks.filter((block) => names.has(block.split(' ')[2] ?? '')).join('') + trailer;
};

test('the exposition has not changed', async () => {
  await using harness = await buildHarness();
  await runAccount(harness);
  const text = storedFamilies(await harness.metricsText('text'));
  const openMetrics = storedFamilies(await harness.metricsText('openmetrics'));
  await expect(text).toMatchFileSnapshot('exposition.txt');
  await expect(openMetrics).toMatchFileSnapshot('exposition.om.txt');

  const samples = new Samples(text);
  const missing = FAMILIES.filter(
    ({ name, type, isDerived }) =>
      !isDerived && samples.all(type === 'histogram' ? `${name}_count` : name).length === 0,
  );
  const names = missing.map(({ name }) => name);
  expect(names, 'add settings to this test, so that the account has these families').toEqual([]);
});
