// Tests readCatalog: the simulated provider's catalog, stock that runs out and returns, and invalid answers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { type Product, readCatalog } from '../../src/provider/resources/catalog.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';
import { openAccount, type SimulatedAccount } from '../support/simulated-account.ts';
import { isSubset, sampleVariants } from './sample-variants.ts';

const product = async ({ client }: SimulatedAccount, code: string): Promise<Product | undefined> =>
  (await readCatalog(client)).products.find((one) => one.code === code);

describe('the catalog of the simulated provider', () => {
  it('has products with and without a country, each with its stock and cycles', async () => {
    await using account = await openAccount();
    const { products, skippedCodes } = await readCatalog(account.client);
    expect(skippedCodes).toEqual([]);
    expect(new Set(products.map(({ type }) => type))).toEqual(
      new Set(['datacenter', 'isp', 'residential', 'mobile']),
    );
    expect(products.find(({ code }) => code === 'isp_gb')).toEqual({
      code: 'isp_gb',
      name: 'ISP Proxies [GB]',
      type: 'isp',
      protocol: 'ipv4',
      countryId: 'gb',
      cycles: ['1:week', '1:month', '3:month', '1:year'],
      isAvailable: true,
      isPerIp: true,
      stock: expect.toSatisfy((stock: number) => stock > 0),
      isStockUnlimited: false,
    });
    expect(await product(account, 'residential')).toMatchObject({ countryId: null, isPerIp: false });
  });

  it('shows a product that is out of stock for a time, and one that is unavailable or removed', async () => {
    const until = '2026-07-10T13:00:00Z';
    const changes = [{ kind: 'product', subject: 'isp_gb', set: { product_stock: 0 }, until }] as const;
    await using account = await openAccount({ changes: [...changes] });
    expect(await product(account, 'isp_gb')).toMatchObject({ stock: 0, isAvailable: false });
    account.clock.advance(HOUR);
    expect((await product(account, 'isp_gb'))?.isAvailable).toBe(true);
    account.simulator.changes.replace([
      { kind: 'product', subject: 'isp_gb', set: { product_is_available: false } },
      { kind: 'product', subject: 'isp_de', absent: true },
    ]);
    expect(await product(account, 'isp_gb')).toMatchObject({ isAvailable: false, stock: expect.any(Number) });
    expect(await product(account, 'isp_de')).toBeUndefined();
  });

  it('reports the provider’s errors', async () => {
    await using account = await openAccount();
    account.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'checkout/catalog' });
    await expect(readCatalog(account.client)).rejects.toMatchObject({ kind: 'forbidden' });
    account.simulator.faults.replace([{ kind: 'null_fields', fields: ['data'] }]);
    await expect(readCatalog(account.client)).rejects.toMatchObject({ kind: 'bad_response' });
  });
});

describe('readCatalog', () => {
  const SAMPLE = {
    product_name: 'ISP Proxies [GB]',
    product_type: 'isp',
    product_protocol: 'ipv4',
    country_id: 'gb',
    product_cycle_options: ['1:month'],
    product_is_available: true,
    product_is_per_ip: true,
    product_stock: 181,
  };
  const read = async (data: object) => {
    await using provider = await startFakeProvider(() => ({ body: { data } }));
    await using client = connect(provider);
    return await readCatalog(client);
  };

  it('returns exactly the given values if fields are null, missing or new', async () => {
    const [complete = {}] = (await read({ code: SAMPLE })).products;
    const variants = sampleVariants(SAMPLE, { required: ['product_cycle_options'], open: ['product_type'] });
    // An object drops the key __proto__ when it is copied, so it is no code that a product can have.
    const codes = fc.stringMatching(/^[a-z_]{1,12}$/).filter((code) => code !== '__proto__');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(codes, variants), async (data) => {
        const { products, skippedCodes } = await read(data);
        expect(products.map(({ code }) => code).sort()).toEqual(Object.keys(data).sort());
        expect(skippedCodes).toEqual([]);
        for (const { code: _, ...fields } of products) expect(isSubset(fields, complete)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('lists the codes of products that do not decode', async () => {
    const data = { a: SAMPLE, b: 'many', c: null };
    const { products, skippedCodes } = await read(data);
    expect([products.map(({ code }) => code), skippedCodes]).toEqual([['a'], ['b', 'c']]);
  });

  it('keeps the other values of a product with invalid values', async () => {
    const invalid = { product_stock: 'many', product_name: {}, product_is_available: 'yes', country_id: [] };
    const { products, skippedCodes } = await read({ a: SAMPLE, b: { ...SAMPLE, ...invalid } });
    const nothing = { stock: null, name: null, isAvailable: null, countryId: null };
    expect(products[1]).toEqual({ ...products[0], code: 'b', ...nothing });
    expect(skippedCodes).toEqual([]);
  });

  it('treats the text null as no value, and missing cycles as an empty list', async () => {
    const { products } = await read({ a: { country_id: 'null', product_cycle_options: null } });
    expect(products).toMatchObject([{ countryId: null, cycles: [], isAvailable: null, stock: null }]);
  });
});
