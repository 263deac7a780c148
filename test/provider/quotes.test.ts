// Tests quotes: of the simulated provider in both forms, with and without stock, and variants of answers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type QuoteOrder, readQuote } from '../../src/provider/resources/quotes.ts';
import { connect, type Reply, startFakeProvider } from '../support/fake-provider.ts';
import { openAccount } from '../support/simulated-account.ts';
import { sampleVariants } from './sample-variants.ts';

const MONTHLY = { cycle: { interval: 'month', count: 1 } } as const;
const ORDER = { product: { code: 'isp_gb' }, quantity: 10, ...MONTHLY } as const;
const SOLD_OUT = { kind: 'product', subject: 'isp_de', set: { product_stock: 0 } } as const;

describe('a quote of the simulated provider', () => {
  it.each<[string, QuoteOrder]>([
    ['by its code', ORDER],
    [
      'by its code, which takes precedence over the type',
      { ...ORDER, product: { ...ORDER.product, type: 'mobile' } as never },
    ],
    ['by type and country', { ...ORDER, product: { type: 'isp', countryId: 'gb', protocol: 'ipv4' } }],
    ['in one country', { productType: 'isp', locations: [{ countryId: 'gb', quantity: 10 }], ...MONTHLY }],
    [
      'in two countries',
      {
        productType: 'isp',
        locations: [
          { countryId: 'gb', quantity: 4 },
          { countryId: 'de', quantity: 6 },
        ],
        ...MONTHLY,
      },
    ],
  ])('of ten proxies %s', async (_, order) => {
    await using account = await openAccount({ credit_cents: 1_000 });
    expect(await readQuote(account.client, order)).toEqual({
      state: 'valid',
      prices: { total: 3_500, listPrice: 3_500, discount: 0 },
      creditBalance: 1_000,
      hasInvalidValue: false,
      details: expect.objectContaining({
        totalAfterCredit: 2_500,
        isCreditApplied: true,
        appliedCredit: 1_000,
      }),
    });
  });

  it('accepts a promotional code in both forms', async () => {
    await using account = await openAccount({ promotional_codes: { TEN: 10 }, credit_cents: 0 });
    const prices = { total: 3_150, listPrice: 3_500, discount: 350 };
    const details = expect.objectContaining({ promotionalCode: 'TEN', isDiscounted: true });
    const locations = [{ countryId: 'gb', quantity: 10 }];
    for (const order of [ORDER, { productType: 'isp', locations, ...MONTHLY }]) {
      const quote = await readQuote(account.client, { ...order, promotionalCode: 'TEN' });
      expect(quote).toEqual({ state: 'valid', prices, creditBalance: 0, details, hasInvalidValue: false });
    }
  });

  it('returns the order as line items, with the price of each', async () => {
    await using account = await openAccount();
    const places = [
      { countryId: 'gb', quantity: 4 },
      { countryId: 'de', quantity: 6 },
    ];
    const spread = { productType: 'isp', locations: places, ...MONTHLY };
    for (const [order, countryId, locations] of [
      [ORDER, 'gb', [{ countryId: 'gb', quantity: 10 }]],
      [spread, null, places],
    ] as const) {
      const quote = await readQuote(account.client, order);
      expect(quote).toMatchObject({
        details: {
          lineItems: [{ type: 'isp', unitPrice: 350, quantity: 10, total: 3_500, countryId, locations }],
        },
      });
    }
  });

  it('is invalid with an unknown promotional code', async () => {
    await using account = await openAccount({ credit_cents: 70 });
    const quote = await readQuote(account.client, { ...ORDER, promotionalCode: 'NONE' });
    expect(quote).toEqual({
      state: 'invalid',
      reason: 'The promotional code is not valid.',
      creditBalance: 70,
      hasInvalidValue: false,
      details: expect.objectContaining({ promotionalCode: 'NONE' }),
    });
  });

  it.each<[string, QuoteOrder]>([
    ['a product', { ...ORDER, product: { code: 'isp_de' } }],
    [
      'one of the countries',
      {
        productType: 'isp',
        locations: [
          { countryId: 'gb', quantity: 1 },
          { countryId: 'de', quantity: 1 },
        ],
        ...MONTHLY,
      },
    ],
  ])('reports that %s is out of stock, and valid again once it is back', async (_, order) => {
    await using account = await openAccount({ changes: [SOLD_OUT] });
    expect(await readQuote(account.client, order)).toEqual({ state: 'short_stock' });
    account.simulator.changes.clear();
    expect(await readQuote(account.client, order)).toMatchObject({ state: 'valid' });
  });

  it.each([{ quantity: 100_000 }, { quantity: 900, asnId: 64_500 }])(
    'reports that there is no stock for %j',
    async (order) => {
      await using account = await openAccount();
      expect(await readQuote(account.client, { ...ORDER, ...order })).toEqual({ state: 'short_stock' });
    },
  );

  it('quotes proxies of one network if there are enough', async () => {
    await using account = await openAccount();
    const quote = await readQuote(account.client, { ...ORDER, quantity: 1, asnId: 64_500 });
    expect(quote).toMatchObject({ state: 'valid', prices: { total: 350 } });
  });

  it.each<[string, number, QuoteOrder]>([
    ['an unknown product', 422, { ...ORDER, product: { code: 'moon' } }],
    ['a cycle that the product is not sold by', 422, { ...ORDER, cycle: { interval: 'day', count: 3 } }],
    ['no quantity', 400, { ...ORDER, quantity: 0 }],
    ['no locations', 400, { productType: 'isp', locations: [], ...MONTHLY }],
    ['an unknown type', 400, { ...ORDER, product: { type: 'moon' } }],
  ])('is rejected for %s', async (_, status, order) => {
    await using account = await openAccount();
    await expect(readQuote(account.client, order)).rejects.toMatchObject({ kind: 'rejected', status });
  });

  it('is rejected, without blaming the keys, if the account may not filter by ASN', async () => {
    await using account = await openAccount({ may_filter_by_asn: false });
    const failure = await readQuote(account.client, { ...ORDER, asnId: 64_500 }).catch((error) => error);
    expect(failure).toMatchObject({ kind: 'rejected', status: 403, cause: { kind: 'forbidden' } });
    account.simulator.faults.add({ kind: 'status', status: 403 });
    await expect(readQuote(account.client, ORDER)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  const FLAT = {
    product_type: 'isp',
    country_id: 'gb',
    quantity: 1,
    cycle_interval: 'month',
    cycle_interval_count: 1,
  };
  const LINE = {
    ...{ product_type: 'isp', item_quantity: 1, cycle_interval: 'month', cycle_interval_count: 1 },
    service_fulfillment_filter: [{ country_id: 'gb', quantity: 1 }],
  };

  it.each([
    ['both forms at once', { ...FLAT, line_items: [LINE] }, 422],
    ['both forms at once, by any field', { quantity: 1, line_items: [LINE] }, 422],
    ['two line items', { line_items: [LINE, LINE] }, 422],
    ['no line item', { line_items: [] }, 422],
    ['quantities that do not add up', { line_items: [{ ...LINE, item_quantity: 2 }] }, 422],
    ['no quantity', { ...FLAT, quantity: undefined }, 400],
    ['an unknown field', { ...FLAT, moon: 1 }, 400],
    ['no body', [], 400],
  ])('is rejected for %s', async (_, body, status) => {
    await using account = await openAccount();
    const request = account.client.post('checkout/quote', body);
    await expect(request).rejects.toMatchObject({ kind: 'rejected', status });
  });
});

describe('readQuote', () => {
  const SAMPLE = {
    is_valid: true,
    invalid_reason: 'null',
    before_discount_total: 400,
    discount: 50,
    discounted: true,
    total: 350,
    total_after_applied_credit: 300,
    credit_balance: 50,
    promotional_code: 'null',
    promotional_code_id: 'null',
    credit_only_checkout: false,
    customer_credit_balance_applied: true,
    customer_credit_balance_applied_amount: 50,
    is_top_up: false,
    top_up_amount: 0,
    line_items: [{ item_type: 'isp', service_fulfillment_filter: {} }],
  };
  const read = async (reply: Reply, order: QuoteOrder = ORDER) => {
    await using provider = await startFakeProvider(() => reply);
    await using client = connect(provider);
    const quote = await readQuote(client, order);
    return { quote, sent: JSON.parse(provider.requests[0]?.body ?? '') };
  };

  const NO_ITEM = {
    ...{ name: null, type: null, priceType: null, priceId: null, unitPrice: null, quantity: null },
    ...{ total: null, countryId: null, locations: [] },
  };

  it('leaves out details that are not as documented', async () => {
    const invalid = {
      ...{ discounted: 'yes', top_up_amount: '5', promotional_code: {}, credit_only_checkout: 1 },
      line_items: [null, 'isp', { item_total: 'ten', service_fulfillment_filter: [null, { quantity: 1 }] }],
    };
    const { quote } = await read({ body: { data: { ...SAMPLE, ...invalid } } });
    expect(quote).toMatchObject({
      state: 'valid',
      hasInvalidValue: true,
      details: {
        ...{ isDiscounted: null, topUpAmount: null, promotionalCode: null, isCreditOnly: null },
        lineItems: [{ ...NO_ITEM, locations: [{ countryId: null, quantity: 1 }] }],
      },
    });
  });

  it('sends one of the two forms, without missing values', async () => {
    const { sent } = await read({ body: { data: SAMPLE } });
    expect(sent).toEqual({
      product_code: 'isp_gb',
      quantity: 10,
      cycle_interval: 'month',
      cycle_interval_count: 1,
    });
    const filtered = await read({ body: { data: SAMPLE } }, { ...ORDER, asnId: 7, promotionalCode: 'TEN' });
    expect(filtered.sent).toMatchObject({
      service_fulfillment_filter: { asn_id: 7 },
      promotional_code: 'TEN',
    });
    const locations = [
      { countryId: 'gb', quantity: 2 },
      { countryId: 'de', quantity: 3 },
    ];
    const spread = await read({ body: { data: SAMPLE } }, { productType: 'isp', locations, ...MONTHLY });
    expect(spread.sent).toEqual({
      line_items: [
        {
          product_type: 'isp',
          item_quantity: 5,
          cycle_interval: 'month',
          cycle_interval_count: 1,
          service_fulfillment_filter: [
            { country_id: 'gb', quantity: 2 },
            { country_id: 'de', quantity: 3 },
          ],
        },
      ],
    });
  });

  it('returns exactly the given values if fields are null, missing or new', async () => {
    const variants = sampleVariants(SAMPLE, { required: ['is_valid', 'total'] });
    await fc.assert(
      fc.asyncProperty(variants, async (data) => {
        const { quote } = await read({ body: { data } });
        const given = (name: string) => data[name] ?? null;
        expect(quote).toEqual({
          state: 'valid',
          prices: { total: 350, listPrice: given('before_discount_total'), discount: given('discount') },
          creditBalance: given('credit_balance'),
          hasInvalidValue: false,
          details: {
            totalAfterCredit: given('total_after_applied_credit'),
            isDiscounted: given('discounted'),
            promotionalCode: null,
            promotionalCodeId: null,
            isCreditOnly: given('credit_only_checkout'),
            isCreditApplied: given('customer_credit_balance_applied'),
            appliedCredit: given('customer_credit_balance_applied_amount'),
            isTopUp: given('is_top_up'),
            topUpAmount: given('top_up_amount'),
            lineItems: given('line_items') === null ? [] : [{ ...NO_ITEM, type: 'isp' }],
          },
        });
      }),
      { numRuns: 50 },
    );
  });

  it.each([null, 'null', '', undefined])(
    'accepts an invalid quote with the reason %j',
    async (invalid_reason) => {
      const { quote } = await read({ body: { data: { is_valid: false, invalid_reason } } });
      expect(quote).toEqual({
        state: 'invalid',
        reason: null,
        creditBalance: null,
        hasInvalidValue: false,
        details: expect.anything(),
      });
    },
  );

  it.each([{ is_valid: null }, { total: null }, { total: '350' }, { is_valid: 'true' }])(
    'rejects an answer with %j',
    async (fault) => {
      const request = read({ body: { data: { ...SAMPLE, ...fault } } });
      await expect(request).rejects.toMatchObject({ kind: 'bad_response', endpoint: 'checkout/quote' });
    },
  );

  it.each([
    ['There is insufficient stock.', true],
    ['Not enough proxies match the filter.', true],
    ['Sold out', true],
    ['The cycle is not valid for this product.', false],
    ['Insufficient permissions.', false],
    ['Insufficient credit balance.', false],
  ])('reads a 422 with the message %j as short stock: %s', async (message, isShort) => {
    const request = read({ status: 422, body: { error: 'Unprocessable', message } });
    if (isShort) expect((await request).quote).toEqual({ state: 'short_stock' });
    else await expect(request).rejects.toMatchObject({ kind: 'rejected' });
  });
});
