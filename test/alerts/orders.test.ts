// Alerts about what is to be bought: products that are watched for, and configured orders.

import { expect, it } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { watchOnly } from '../collectors/sole-collector.ts';
import { poll } from '../collectors/stub-account.ts';
import type { House } from '../support/house.ts';
import { findingsOf } from './findings.ts';

const GB = { name: 'isp', product_code: 'isp_gb', quantity: 10 };
const stock = (house: House, product_stock: number): void =>
  house.simulator.changes.replace([{ kind: 'product', subject: 'isp_gb', set: { product_stock } }]);

it('a product of alert_on that runs out is found until it is back, whatever fails meanwhile', async () => {
  await using house = await watchOnly('catalog', { alert_on: ['isp_gb'] });
  const outOfStock = () => findingsOf(house, 'ProductOutOfStock');
  expect(await outOfStock()).toEqual({});
  stock(house, 0);
  await poll(house);
  expect(await outOfStock()).toEqual({ isp_gb: 0 });
  stock(house, 5);
  house.simulator.faults.add({ kind: 'status', status: 503 });
  await house.restart();
  await house.advance(DAY);
  expect(await outOfStock()).toEqual({ isp_gb: 0 });
  house.simulator.faults.clear();
  await poll(house);
  expect(await outOfStock()).toEqual({});
});

it.each([
  [
    'is not available though it has a stock',
    ['isp_gb'],
    { product_is_available: false, product_stock: 5 },
    1,
  ],
  ['has no stock though it is available', ['isp_gb'], { product_is_available: true, product_stock: 0 }, 1],
  ['is not watched for', ['isp_de'], { product_stock: 0 }, 0],
])('a product that %s', async (_, alert_on, set, count) => {
  await using house = await watchOnly('catalog', { alert_on });
  house.simulator.changes.add({ kind: 'product', subject: 'isp_gb', set });
  await poll(house);
  expect(Object.keys(await findingsOf(house, 'ProductOutOfStock'))).toHaveLength(count);
  await house.restart({ catalog: { alert_on: [] } });
  expect(await findingsOf(house, 'ProductOutOfStock')).toEqual({});
});

it('a product that the catalog never had is found from the first catalog on', async () => {
  await using house = await watchOnly('catalog', { alert_on: ['isp_xx'] });
  expect(await findingsOf(house, 'ProductOutOfStock')).toEqual({ isp_xx: 0 });
});

it('an order that cannot be made is found, and one that did not get an answer is not', async () => {
  const moon = { ...GB, name: 'moon', product_code: 'isp_xx' };
  await using house = await watchOnly('quotes', { items: [GB, moon] });
  const invalid = () => findingsOf(house, 'QuoteInvalid');
  expect(await invalid()).toEqual({ moon: 0 });
  stock(house, 3);
  await poll(house);
  expect(await invalid()).toEqual({ isp: 0, moon: 0 });
  stock(house, 30);
  house.simulator.faults.add({ kind: 'status', status: 503 });
  await house.advance(DAY);
  expect(await invalid()).toEqual({ isp: 0, moon: 0 });
  house.simulator.faults.clear();
  await poll(house);
  expect(await invalid()).toEqual({ moon: 0 });
  await house.restart({ quotes: false });
  expect(await invalid()).toEqual({});
  await house.restart({ quotes: { items: [GB] } });
  expect(await invalid()).toEqual({});
});
