// Tests quotes over HTTP: orders that can and cannot be made, each form of an order, and failing polls.

import { describe, expect, it } from 'vitest';
import { findingLabels } from '../support/findings.ts';
import type { Harness } from '../support/harness.ts';
import { buildWithOnly, expectUnchangedByFaults, providerSeries, recordingLog } from './single-collector.ts';
import { lastRun, poll } from './stub-account.ts';

const BALANCE = 'proxywatch_credit_balance';
const GB = { name: 'gb', product_code: 'isp_gb', quantity: 10 };
const SOLD_OUT = { kind: 'product', subject: 'isp_gb', set: { product_stock: 0 } } as const;

/** Returns the validity, the price, the list price and the discount of a quote. */
const quoteValues = async (harness: Harness, quote = 'gb'): Promise<(number | undefined)[]> => {
  const samples = await harness.samples();
  return ['valid', 'price', 'list_price', 'discount'].map((name) =>
    samples.value(`proxywatch_quote_${name}`, { quote }),
  );
};

describe('a quote', () => {
  it('is invalid and has no price while stock is short, and the run is ok', async () => {
    const log = recordingLog();
    await using harness = await buildWithOnly('quotes', { items: [GB] }, { log });
    expect(await quoteValues(harness)).toEqual([1, 3_500, 3_500, 0]);
    harness.simulator.changes.add(SOLD_OUT);
    await poll(harness);
    expect(await quoteValues(harness)).toEqual([0, undefined, undefined, undefined]);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    await poll(harness);
    harness.simulator.changes.clear();
    await poll(harness);
    expect(await quoteValues(harness)).toEqual([1, 3_500, 3_500, 0]);
    expect(log.lines.map(({ quote, state }) => [quote, state])).toEqual([
      ['gb', 'short_stock'],
      ['gb', 'valid'],
    ]);
  });

  it('has the discount of a promotional code, and is invalid with an unknown code', async () => {
    const items = [
      { ...GB, promotional_code: 'TEN' },
      { ...GB, name: 'none', promotional_code: 'NONE' },
    ];
    const scenario = { promotional_codes: { TEN: 10 }, credit_cents: 70 };
    await using harness = await buildWithOnly('quotes', { items }, { scenario });
    expect(await quoteValues(harness)).toEqual([1, 3_150, 3_500, 350]);
    expect(await quoteValues(harness, 'none')).toEqual([0, undefined, undefined, undefined]);
    expect((await harness.samples()).value(BALANCE)).toBe(70);
  });

  it('can be requested in each form', async () => {
    const items = [
      GB,
      { name: 'type', product_type: 'isp', country_id: 'gb', protocol: 'ipv4', quantity: 10 },
      {
        name: 'locations',
        product_type: 'isp',
        locations: [
          { country_id: 'gb', quantity: 4 },
          { country_id: 'de', quantity: 6 },
        ],
      },
      { name: 'year', product_code: 'isp_gb', quantity: 1, cycle_interval: 'month', cycle_interval_count: 3 },
      { name: 'network', product_code: 'isp_gb', quantity: 1, asn_id: 64_500 },
    ];
    await using harness = await buildWithOnly('quotes', { items });
    expect((await harness.samples()).by('quote', 'proxywatch_quote_price')).toEqual({
      gb: 3_500,
      type: 3_500,
      locations: 3_500,
      year: 1_050,
      network: 350,
    });
  });

  it('that the provider refuses is not valid, is no failure, and is logged once', async () => {
    const log = recordingLog();
    const items = [{ ...GB, name: 'moon', product_code: 'moon' }, GB];
    await using harness = await buildWithOnly('quotes', { items }, { log });
    expect(await quoteValues(harness, 'moon')).toEqual([0, undefined, undefined, undefined]);
    expect(await quoteValues(harness)).toEqual([1, 3_500, 3_500, 0]);
    await poll(harness);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_success')).toBe(1);
    expect(samples.value('proxywatch_collector_failing_parts')).toBe(0);
    expect(await findingLabels(harness, 'QuoteInvalid')).toEqual([{ quote: 'moon' }]);
    expect(await findingLabels(harness, 'PartsFailing')).toEqual([]);
    expect(log.lines.map(({ quote, state }) => [quote, state])).toEqual([['moon', 'rejected']]);
  });

  it('of a product that is no longer sold loses its price', async () => {
    await using harness = await buildWithOnly('quotes', { items: [GB] });
    harness.simulator.changes.add({ kind: 'product', subject: 'isp_gb', absent: true });
    await poll(harness);
    expect(await quoteValues(harness)).toEqual([0, undefined, undefined, undefined]);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
  });

  it('whose answer is invalid keeps its values, and does not affect the others', async () => {
    const items = [GB, { ...GB, name: 'fr', product_code: 'isp_fr' }];
    await using harness = await buildWithOnly('quotes', { items });
    harness.simulator.changes.add(SOLD_OUT);
    harness.simulator.changes.add({ ...SOLD_OUT, subject: 'isp_fr' });
    harness.simulator.faults.add({ kind: 'html', count: 1 });
    await poll(harness);
    expect(await quoteValues(harness)).toEqual([1, 3_500, 3_500, 0]);
    expect((await quoteValues(harness, 'fr'))[0]).toBe(0);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'bad_response' });
    // The data of the other quote is current.
    expect((await harness.samples()).value('proxywatch_collector_success')).toBe(1);
  });

  it.each([
    ['an error of the server', { kind: 'status', status: 503 }, 'server'],
    ['a forbidden endpoint', { kind: 'status', status: 403 }, 'forbidden'],
    ['a lost connection', { kind: 'cut_off' }, 'network'],
  ] as const)('that meets %s does not affect the others, and is logged once', async (_, fault, errorKind) => {
    const log = recordingLog();
    await using harness = await buildWithOnly('quotes', { items: [GB, { ...GB, name: 'next' }] }, { log });
    harness.simulator.faults.add({ ...fault, count: 1 });
    await poll(harness);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind });
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_success')).toBe(1);
    expect(samples.value('proxywatch_collector_failing_parts')).toBe(1);
    await poll(harness);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    expect(log.lines.filter(({ part }) => part).map(({ part, message }) => [part, message])).toEqual([
      ['gb', 'a part failed'],
      ['gb', 'a part succeeds again'],
    ]);
  });

  it('shows no values of another order that had the same name', async () => {
    await using harness = await buildWithOnly('quotes', { items: [GB, { ...GB, name: 'other' }] });
    await harness.restart({ quotes: { schedule: '0 * * * *', items: [{ ...GB, quantity: 1 }] } });
    expect(await providerSeries(harness)).toEqual(new Map());
    await poll(harness);
    expect(await quoteValues(harness)).toEqual([1, 350, 350, 0]);
    expect((await harness.samples()).all('proxywatch_quote_valid')).toHaveLength(1);
  });
});

describe('the credit', () => {
  it('comes from the newest answer that has it', async () => {
    const items = [
      { ...GB, name: 'a' },
      { ...GB, name: 'b', product_code: 'isp_de' },
    ];
    await using harness = await buildWithOnly('quotes', { items });
    expect((await harness.samples()).value(BALANCE)).toBe(5_000);
    harness.simulator.changes.add({ ...SOLD_OUT, subject: 'isp_de' });
    harness.simulator.faults.add({ kind: 'set_fields', fields: { credit_balance: 30 } });
    await poll(harness);
    expect((await harness.samples()).value(BALANCE)).toBe(30);
    harness.simulator.changes.add(SOLD_OUT);
    await poll(harness);
    expect((await harness.samples()).value(BALANCE)).toBeUndefined();
  });

  it('also comes from the answer for an invalid order', async () => {
    await using harness = await buildWithOnly('quotes', { items: [{ ...GB, promotional_code: 'NONE' }] });
    expect((await harness.samples()).value(BALANCE)).toBe(5_000);
  });

  it('is not shown from an older answer', async () => {
    // The first order's new answer is invalid, so its balance is the older one.
    const items = [
      { ...GB, name: 'z' },
      { ...GB, name: 'a', product_code: 'isp_de' },
    ];
    await using harness = await buildWithOnly('quotes', { items });
    harness.simulator.faults.replace([
      { kind: 'html', count: 1 },
      { kind: 'set_fields', fields: { credit_balance: 30 } },
    ]);
    await poll(harness);
    expect((await lastRun(harness)).result).toBe('partial');
    expect((await harness.samples()).value(BALANCE)).toBe(30);
  });
});

it('nothing is stored with the keys of another customer', async () => {
  await using harness = await buildWithOnly('quotes', { items: [GB] });
  const before = await providerSeries(harness);
  harness.simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 815, credit_balance: 1 } });
  await harness.restart();
  await poll(harness);
  expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'auth' });
  expect(await providerSeries(harness)).toEqual(before);
  harness.simulator.faults.clear();
  await poll(harness);
  expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
});

it('a failed poll and a restart change nothing', async () => {
  await using harness = await buildWithOnly('quotes', {
    items: [GB, { ...GB, name: 'moon', product_code: 'isp_xx' }],
  });
  expect((await providerSeries(harness)).size).toBe(6);
  await expectUnchangedByFaults(harness, [
    { kind: 'status', status: 503 },
    { kind: 'status', status: 401 },
    { kind: 'html' },
  ]);
});
