// Tests the alerts about watched products and configured orders.

import { expect, it } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { buildWithOnly } from '../collectors/single-collector.ts';
import { poll } from '../collectors/stub-account.ts';
import type { Harness } from '../support/harness.ts';
import { findingValues } from './findings.ts';

const GB = { name: 'isp', product_code: 'isp_gb', quantity: 10 };
const stock = (harness: Harness, product_stock: number): void =>
  harness.simulator.changes.replace([{ kind: 'product', subject: 'isp_gb', set: { product_stock } }]);

it('finds a product of alert_on that is out of stock until it is back, also while polls fail', async () => {
  await using harness = await buildWithOnly('catalog', { alert_on: ['isp_gb'] });
  const outOfStock = () => findingValues(harness, 'ProductOutOfStock');
  expect(await outOfStock()).toEqual({});
  stock(harness, 0);
  await poll(harness);
  expect(await outOfStock()).toEqual({ isp_gb: 0 });
  stock(harness, 5);
  harness.simulator.faults.add({ kind: 'status', status: 503 });
  await harness.restart();
  await harness.advance(DAY);
  expect(await outOfStock()).toEqual({ isp_gb: 0 });
  harness.simulator.faults.clear();
  await poll(harness);
  expect(await outOfStock()).toEqual({});
});

it.each([
  [
    'is not available although it has stock',
    ['isp_gb'],
    { product_is_available: false, product_stock: 5 },
    1,
  ],
  ['has no stock although it is available', ['isp_gb'], { product_is_available: true, product_stock: 0 }, 1],
  ['is not watched', ['isp_de'], { product_stock: 0 }, 0],
])('a product that %s', async (_, alert_on, set, count) => {
  await using harness = await buildWithOnly('catalog', { alert_on });
  harness.simulator.changes.add({ kind: 'product', subject: 'isp_gb', set });
  await poll(harness);
  expect(Object.keys(await findingValues(harness, 'ProductOutOfStock'))).toHaveLength(count);
  await harness.restart({ catalog: { alert_on: [] } });
  expect(await findingValues(harness, 'ProductOutOfStock')).toEqual({});
});

it('finds a product that was never in the catalog after the first poll', async () => {
  await using harness = await buildWithOnly('catalog', { alert_on: ['isp_xx'] });
  expect(await findingValues(harness, 'ProductOutOfStock')).toEqual({ isp_xx: 0 });
});

it('finds an order that the provider rejects, but not one without an answer', async () => {
  const moon = { ...GB, name: 'moon', product_code: 'isp_xx' };
  await using harness = await buildWithOnly('quotes', { items: [GB, moon] });
  const invalid = () => findingValues(harness, 'QuoteInvalid');
  expect(await invalid()).toEqual({ moon: 0 });
  stock(harness, 3);
  await poll(harness);
  expect(await invalid()).toEqual({ isp: 0, moon: 0 });
  stock(harness, 30);
  harness.simulator.faults.add({ kind: 'status', status: 503 });
  await harness.advance(DAY);
  expect(await invalid()).toEqual({ isp: 0, moon: 0 });
  harness.simulator.faults.clear();
  await poll(harness);
  expect(await invalid()).toEqual({ moon: 0 });
  await harness.restart({ quotes: false });
  expect(await invalid()).toEqual({});
  await harness.restart({ quotes: { items: [GB] } });
  expect(await invalid()).toEqual({});
});
