// Tests scenarios of an account's orders and services with several collectors: metrics and alerts together.

import { expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { services } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import { alertsFound, findingValues } from '../alerts/findings.ts';
import { Harness } from '../support/harness.ts';

const SCENARIO: ScenarioInput = {
  proxies: 20,
  services: 2,
  changes: [0, 1].map((subject) => ({
    kind: 'service',
    subject,
    set: { service_is_automatic_collection: true, service_expiry_datetime: '2026-08-01 00:00:00' },
  })),
};
const ISP = services(parseScenario(SCENARIO))[1]?.id ?? '';
const NAMES = [
  'ProductOutOfStock',
  'QuoteInvalid',
  'ServiceExpiringSoon',
  'ServicePaused',
  'ServicePendingCancellation',
  'ServiceNotActive',
  'ServiceProxiesMissing',
];

const build = (): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T12:01:30Z',
    scenario: SCENARIO,
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      inventory: {},
      services: {},
      catalog: { schedule: '0 * * * *', alert_on: ['isp_gb'] },
      quotes: {
        schedule: '0 * * * *',
        items: [{ name: 'isp', product_code: 'isp_gb', quantity: 10 }],
      },
    },
  });

test('stock runs out, so that first the order and then the product cannot be bought, and comes back', async () => {
  await using harness = await build();
  const setStock = async (product_stock: number): Promise<(number | undefined)[]> => {
    harness.simulator.changes.add({ kind: 'product', subject: 'isp_gb', set: { product_stock } });
    await harness.advance(HOUR);
    const samples = await harness.samples();
    const product = { product_code: 'isp_gb' };
    return [
      samples.value('proxywatch_catalog_product_stock', product),
      samples.value('proxywatch_catalog_product_available', product),
      samples.value('proxywatch_quote_valid'),
      samples.value('proxywatch_quote_price'),
    ];
  };
  expect(await setStock(30)).toEqual([30, 1, 1, expect.any(Number)]);
  expect(await alertsFound(harness, NAMES)).toEqual([]);
  expect(await setStock(9)).toEqual([9, 1, 0, undefined]);
  expect(await findingValues(harness, 'QuoteInvalid')).toEqual({ isp: 0 });
  expect(await alertsFound(harness, NAMES)).toEqual(['QuoteInvalid']);
  expect(await setStock(0)).toEqual([0, 0, 0, undefined]);
  expect(await findingValues(harness, 'ProductOutOfStock')).toEqual({ isp_gb: 0 });
  expect(await alertsFound(harness, NAMES)).toEqual(['ProductOutOfStock', 'QuoteInvalid']);
  expect(await setStock(40)).toEqual([40, 1, 1, expect.any(Number)]);
  expect(await alertsFound(harness, NAMES)).toEqual([]);
});

test('a service is paused, resumed, expires unpaid, is overdue, is canceled, and is over', async () => {
  await using harness = await build();
  const changeService = async (set: Record<string, unknown>, ms = HOUR): Promise<(string | undefined)[]> => {
    harness.simulator.changes.add({ kind: 'service', subject: 1, set });
    await harness.advance(ms);
    const series = (await harness.samples()).all('proxywatch_service_standing', { service_id: ISP });
    return [...series.map(({ labels }) => labels.standing), ...(await alertsFound(harness, NAMES))];
  };
  expect(await changeService({})).toEqual(['active']);
  expect(await changeService({ service_status: 'paused', service_subscription_is_paused: true })).toEqual([
    'paused',
    'ServicePaused',
  ]);
  expect(await findingValues(harness, 'ServicePaused')).toEqual({ [ISP]: 1 });
  const active = { service_status: 'active', service_subscription_is_paused: false };
  expect(await changeService(active)).toEqual(['active']);
  expect(await changeService({ service_is_automatic_collection: false })).toEqual(['active']);
  expect(await changeService({ service_expiry_datetime: '2026-07-10 00:00:00' })).toEqual([
    'active',
    'ServiceExpiringSoon',
  ]);
  const expiry = Date.parse('2026-07-10T00:00:00Z') / 1_000;
  expect(await findingValues(harness, 'ServiceExpiringSoon')).toEqual({ [ISP]: expiry });
  expect(await changeService({ service_status: 'overdue' }, 96 * HOUR)).toEqual([
    'not_active',
    'ServiceNotActive',
  ]);
  expect(await changeService({ service_status: 'canceled' })).toEqual(['not_active', 'ServiceNotActive']);
  expect(await changeService({}, 10 * 24 * HOUR)).toEqual(['over']);
});
