// Tests the catalog over HTTP: stock that runs out, removed products, unknown codes, and failing polls.

import { describe, expect, it } from 'vitest';
import { openSqliteStoreReadOnly } from '../../src/store/sqlite/sqlite-store.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { findingLabels } from '../support/findings.ts';
import type { Harness } from '../support/harness.ts';
import { buildWithOnly, expectUnchangedByFaults, providerSeries, recordingLog } from './single-collector.ts';
import { lastRun, poll } from './stub-account.ts';

const STOCK = 'proxywatch_catalog_product_stock';
const AVAILABLE = 'proxywatch_catalog_product_available';
const GB = { product_code: 'isp_gb', product_type: 'isp', protocol: 'ipv4', country_id: 'gb' };

/** Returns the stock and the availability of a product with these labels. */
const stockAndAvailability = async (
  harness: Harness,
  labels: Record<string, string> = GB,
): Promise<(number | undefined)[]> => {
  const samples = await harness.samples();
  return [samples.value(STOCK, labels), samples.value(AVAILABLE, labels)];
};

const removeProduct = (harness: Harness, subject = 'isp_gb'): unknown =>
  harness.simulator.changes.add({ kind: 'product', subject, absent: true });

describe('a product', () => {
  it('runs out of stock, and comes back', async () => {
    await using harness = await buildWithOnly('catalog', {});
    expect(await stockAndAvailability(harness)).toEqual([expect.any(Number), 1]);
    harness.simulator.changes.add({ kind: 'product', subject: 'isp_gb', set: { product_stock: 0 } });
    await poll(harness);
    expect(await stockAndAvailability(harness)).toEqual([0, 0]);
    harness.simulator.changes.replace([{ kind: 'product', subject: 'isp_gb', set: { product_stock: 12 } }]);
    await poll(harness);
    expect(await stockAndAvailability(harness)).toEqual([12, 1]);
  });

  it('with unlimited stock has no stock series, is available, is no skipped item and starts no alert', async () => {
    await using harness = await buildWithOnly('catalog', { alert_on: ['isp_gb'] });
    harness.simulator.changes.add({ kind: 'product', subject: 'isp_gb', set: { product_stock: -1 } });
    await poll(harness);
    expect(await stockAndAvailability(harness)).toEqual([undefined, 1]);
    expect((await harness.samples()).value('proxywatch_items_skipped_total')).toBe(0);
    expect(await findingLabels(harness, 'ProductOutOfStock')).toEqual([]);
    using store = openSqliteStoreReadOnly(harness.storePath);
    const products = await store.catalog.products('main');
    const unlimited = { stock: null, isStockUnlimited: true };
    expect(products.find(({ code }) => code === 'isp_gb')).toMatchObject(unlimited);
    harness.simulator.changes.replace([{ kind: 'product', subject: 'isp_gb', set: { product_stock: 12 } }]);
    await poll(harness);
    expect(await stockAndAvailability(harness)).toEqual([12, 1]);
  });

  it('without a stock value has no stock series, but is available', async () => {
    await using harness = await buildWithOnly('catalog', {});
    harness.simulator.faults.add({ kind: 'null_fields', fields: ['product_stock'], count: 1 });
    await poll(harness);
    expect(await stockAndAvailability(harness)).toEqual([undefined, 1]);
  });

  it('is removed after two catalogs in a row without it', async () => {
    const log = recordingLog();
    await using harness = await buildWithOnly('catalog', {}, { log });
    const labels = { product_code: 'residential' };
    const before = await stockAndAvailability(harness, labels);
    removeProduct(harness, 'residential');
    await poll(harness);
    expect(await stockAndAvailability(harness, labels)).toEqual(before);
    // The product comes back unchanged, and is missing again later.
    harness.simulator.changes.clear();
    await poll(harness);
    removeProduct(harness, 'residential');
    await poll(harness);
    expect(await stockAndAvailability(harness, labels)).toEqual(before);
    await poll(harness);
    expect(await stockAndAvailability(harness, labels)).toEqual([undefined, undefined]);
    expect(log.lines).toEqual([]);
  });

  it('whose stock is not a number counts as a skipped item, and only lacks its stock', async () => {
    const product = { product_is_available: true, product_stock: 5 };
    const catalog = { good: product, odd: product };
    await using provider = await startFakeProvider(() => ({ body: { data: catalog } }));
    await using harness = await buildWithOnly('catalog', {}, { account: { base_url: provider.baseUrl } });
    const before = await providerSeries(harness);
    catalog.odd = { ...product, product_stock: 'plenty' as never };
    await poll(harness);
    await poll(harness);
    const left = [...before].filter(([series]) => !/stock\{.*"odd"/.test(series));
    expect(await providerSeries(harness)).toEqual(new Map(left));
    expect([before.size, left.length]).toEqual([4, 3]);
    expect((await harness.samples()).value('proxywatch_items_skipped_total')).toBe(2);
    expect((await lastRun(harness)).result).toBe('ok');
  });
});

describe('a product of alert_on', () => {
  it('that is removed is not available, and has no stock', async () => {
    const log = recordingLog();
    await using harness = await buildWithOnly('catalog', { alert_on: ['isp_gb'] }, { log });
    removeProduct(harness);
    await poll(harness);
    expect(await stockAndAvailability(harness)).toEqual([expect.any(Number), 1]);
    for (let polls = 0; polls < 3; polls += 1) {
      await poll(harness);
      expect(await stockAndAvailability(harness)).toEqual([undefined, 0]);
    }
    expect(log.lines.filter(({ product }) => product === 'isp_gb')).toHaveLength(1);
    harness.simulator.changes.clear();
    await poll(harness);
    expect(await stockAndAvailability(harness)).toEqual([expect.any(Number), 1]);
  });

  it('that never existed is not available from the first catalog on, and is logged once', async () => {
    const log = recordingLog();
    await using harness = await buildWithOnly('catalog', { alert_on: ['isp_xx'] }, { log });
    const unknown = { product_code: 'isp_xx', product_type: '', protocol: '', country_id: '' };
    expect(await stockAndAvailability(harness, unknown)).toEqual([undefined, 0]);
    await poll(harness);
    await harness.restart();
    await poll(harness);
    expect(await stockAndAvailability(harness, unknown)).toEqual([undefined, 0]);
    expect(log.lines.filter(({ product }) => product === 'isp_xx')).toHaveLength(1);
    expect((await lastRun(harness)).result).toBe('ok');
  });

  it('has a series that marks it as watched', async () => {
    await using harness = await buildWithOnly('catalog', { alert_on: ['isp_gb', 'isp_xx'] });
    const watched = (await harness.samples()).by('product_code', 'proxywatch_catalog_product_watched');
    expect(watched).toEqual({ isp_gb: 1, isp_xx: 1 });
  });

  it('that is missing and no longer listed in alert_on is no longer shown', async () => {
    await using harness = await buildWithOnly('catalog', { alert_on: ['isp_xx'] });
    await harness.restart({ catalog: { schedule: '0 * * * *' } });
    expect((await harness.samples()).all(AVAILABLE, { product_code: 'isp_xx' })).toEqual([]);
  });
});

it('products beyond the cap have no series, except those of alert_on', async () => {
  await using harness = await buildWithOnly('catalog', { alert_on: ['residential'], max_series_products: 2 });
  const samples = await harness.samples();
  expect(Object.keys(samples.by('product_code', AVAILABLE))).toEqual([
    'residential',
    'datacenter_de',
    'datacenter_fr',
  ]);
  expect(samples.value('proxywatch_series_dropped')).toBe(8);
});

it('a failed poll and a restart change nothing', async () => {
  await using harness = await buildWithOnly('catalog', { alert_on: ['isp_gb', 'isp_xx'] });
  expect((await providerSeries(harness)).size).toBe(25);
  await expectUnchangedByFaults(harness, [
    { kind: 'status', status: 503 },
    { kind: 'malformed_json' },
    { kind: 'set_fields', fields: { data: [] } },
  ]);
});
