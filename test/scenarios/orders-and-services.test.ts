// Situations of an account's orders and services, lived through with all of its collectors: figures and alerts together.

import { expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { services } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import { findingsOf, found } from '../alerts/findings.ts';
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
  const stockFalls = async (product_stock: number): Promise<(number | undefined)[]> => {
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
  expect(await stockFalls(30)).toEqual([30, 1, 1, expect.any(Number)]);
  expect(await found(harness, NAMES)).toEqual([]);
  expect(await stockFalls(9)).toEqual([9, 1, 0, undefined]);
  expect(await findingsOf(harness, 'QuoteInvalid')).toEqual({ isp: 0 });
  expect(await found(harness, NAMES)).toEqual(['QuoteInvalid']);
  expect(await stockFalls(0)).toEqual([0, 0, 0, undefined]);
  expect(await findingsOf(harness, 'ProductOutOfStock')).toEqual({ isp_gb: 0 });
  expect(await found(harness, NAMES)).toEqual(['ProductOutOfStock', 'QuoteInvalid']);
  expect(await stockFalls(40)).toEqual([40, 1, 1, expect.any(Number)]);
  expect(await found(harness, NAMES)).toEqual([]);
});

test('a service is paused, goes on, comes to its end unpaid, is overdue and canceled, and then is history', async () => {
  await using harness = await build();
  const becomes = async (set: Record<string, unknown>, ms = HOUR): Promise<(string | undefined)[]> => {
    harness.simulator.changes.add({ kind: 'service', subject: 1, set });
    await harness.advance(ms);
    const standings = (await harness.samples()).all('proxywatch_service_standing', { service_id: ISP });
    return [...standings.map(({ labels }) => labels.standing), ...(await found(harness, NAMES))];
  };
  expect(await becomes({})).toEqual(['active']);
  expect(await becomes({ service_status: 'paused', service_subscription_is_paused: true })).toEqual([
    'paused',
    'ServicePaused',
  ]);
  expect(await findingsOf(harness, 'ServicePaused')).toEqual({ [ISP]: 1 });
  const active = { service_status: 'active', service_subscription_is_paused: false };
  expect(await becomes(active)).toEqual(['active']);
  expect(await becomes({ service_is_automatic_collection: false })).toEqual(['active']);
  expect(await becomes({ service_expiry_datetime: '2026-07-10 00:00:00' })).toEqual([
    'active',
    'ServiceExpiringSoon',
  ]);
  const expiry = Date.parse('2026-07-10T00:00:00Z') / 1_000;
  expect(await findingsOf(harness, 'ServiceExpiringSoon')).toEqual({ [ISP]: expiry });
  expect(await becomes({ service_status: 'overdue' }, 96 * HOUR)).toEqual(['not_active', 'ServiceNotActive']);
  expect(await becomes({ service_status: 'canceled' })).toEqual(['not_active', 'ServiceNotActive']);
  expect(await becomes({}, 10 * 24 * HOUR)).toEqual(['over']);
});
