// Tests the customer collector against the simulator: its values, product types that the account lacks, and what it must not keep.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import type { Harness, HarnessOptions } from '../support/harness.ts';
import { buildWithOnly, expectUnchangedByFaults, recordingLog } from './single-collector.ts';
import { lastRun, poll } from './stub-account.ts';

const build = (options: Partial<HarnessOptions> = {}): Promise<Harness> =>
  buildWithOnly('customer', {}, { scenario: { credit_cents: 4_200 }, ...options });

const SUMMARIES = [
  'proxywatch_provider_bought_bytes',
  'proxywatch_provider_used_bytes',
  'proxywatch_provider_left_bytes',
];

it('shows credit, limits and the sums of both ledgers to the byte', async () => {
  await using harness = await build();
  await poll(harness);
  const { truth } = harness.simulator;
  const samples = await harness.samples();
  expect(samples.value('proxywatch_customer_credit')).toBe(4_200);
  expect(samples.value('proxywatch_customer_proxies')).toBe(truth.proxies().length);
  const bytes = {
    residential: truth.ledger().map((row) => row.residential_ledger_bytes),
    mobile: truth.mobileLedger().map((row) => row.mobile_ledger_bytes),
  };
  for (const type of METERED_TYPES) {
    const sum = (sign: 1 | -1) => bytes[type].reduce((all, each) => all + Math.max(0, sign * each), 0);
    expect(SUMMARIES.map((family) => samples.by('product_type', family)[type])).toEqual([
      sum(1),
      sum(-1),
      sum(1) - sum(-1),
    ]);
    expect(samples.by('product_type', 'proxywatch_customer_left_bytes')[type]).toBe(sum(1) - sum(-1));
  }
});

it('keeps no personal data, neither in the store nor in metrics or the log', async () => {
  const log = recordingLog();
  await using harness = await build({ log });
  const shown = (await harness.metricsText()) + JSON.stringify(log.lines);
  const { storePath } = harness;
  await harness.stop();
  const files = [storePath, `${storePath}-wal`].map((path) => {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return '';
    }
  });
  // The level of verification is a value of the same answer.
  expect(files.join('')).toContain('verified');
  for (const text of [shown, ...files]) expect(text).not.toMatch(/Personal|personal@customer/);
});

it('a summary that the account does not have is no failure, and no rejection of the keys', async () => {
  await using harness = await build();
  for (const status of [403, 404, 422]) {
    harness.simulator.faults.add({ kind: 'status', status, endpoint: 'mobile/summary' });
    await poll(harness);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    const samples = await harness.samples();
    expect(Object.keys(samples.by('product_type', 'proxywatch_provider_bought_bytes'))).toEqual([
      'residential',
    ]);
    expect(samples.all('proxywatch_api_endpoint_rejected_since_timestamp_seconds')).toEqual([]);
    harness.simulator.faults.clear();
    await poll(harness);
    expect(
      Object.keys((await harness.samples()).by('product_type', 'proxywatch_provider_bought_bytes')),
    ).toEqual(['mobile', 'residential']);
  }
});

it('a failed run and a restart change nothing', async () => {
  await using harness = await build();
  await expectUnchangedByFaults(harness, [
    { kind: 'status', status: 401 },
    // Without the customer, a refused summary says nothing of the product type.
    { kind: 'status', status: 403 },
    { kind: 'status', status: 404 },
    { kind: 'malformed_json' },
    { kind: 'set_fields', fields: { data: 'none' } },
  ]);
});

it('keys of another customer end the run', async () => {
  await using harness = await build();
  harness.simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 815, credit_balance: 9 } });
  await poll(harness);
  expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'auth' });
  expect((await harness.samples()).value('proxywatch_customer_credit')).toBe(4_200);
});
