// Tests cost against the truth of the simulator: over days with late and corrected rows, faults, a restart and a new price, and
// that the costs of users, host names and labels add up.

import { expect, it } from 'vitest';
import { DAY } from '../../../src/lib/time.ts';
import { ApiHarness } from '../../http/api/api-harness.ts';
import { findingsOf } from '../../support/findings.ts';
import type { Harness } from '../../support/harness.ts';
import { START } from '../stub-account.ts';

const HOURLY = { schedule: '0 * * * *' };
const OFF = Object.fromEntries(
  ['traffic', 'proxy_tests', 'probes', 'catalog', 'quotes', 'geography', 'inventory', 'services'].map(
    (name) => [name, false],
  ),
);
const ACCOUNT = {
  ...{ ...OFF, customer: false, reconciliation: false, currency: 'EUR' },
  ...{ residential_ledger: HOURLY, mobile_ledger: HOURLY },
  usage: { ...HOURLY, history_days: 7 },
  proxy_users: { ...HOURLY, labels_from_metadata: ['team'] },
};
const PRICES = { residential: 4, mobile: 6, budget: { day: 1, month: 10_000 } };
const SCENARIO = {
  start: '2026-06-20T00:00:00Z',
  ledger: { top_up_every_days: 2, adjustment_every_days: 2 },
  traffic: { late: { ratio: 0.05 }, revised: { ratio: 0.05 } },
};
const build = (prices: object = PRICES, account: object = {}) =>
  ApiHarness.build(
    { ...SCENARIO, users: 12 },
    { ...ACCOUNT, prices: { ...HOURLY, ...prices }, ...account },
    { now: START, firstStepHold: '0s' },
  );

/** The truly used bytes of the days that begin with one of these texts, in GB. */
const usedGb = ({ simulator }: Harness, ...dates: readonly string[]) => {
  const isOn = (date: string): boolean => dates.some((start) => date.startsWith(start));
  const residential = simulator.truth
    .ledger()
    .filter((row) => row.residential_ledger_reason === 'usage' && isOn(row.residential_ledger_period_date));
  const mobile = simulator.truth
    .mobileLedger()
    .filter((row) => row.mobile_ledger_reason === 'usage' && isOn(row.mobile_ledger_period_date));
  return {
    residential: residential.reduce((sum, row) => sum - row.residential_ledger_bytes, 0) / 1e9,
    mobile: mobile.reduce((sum, row) => sum - row.mobile_ledger_bytes, 0) / 1e9,
  };
};
/** The spend of the product types together, by period. */
const spendOf = async (harness: Harness): Promise<Record<string, number>> => {
  const found = (await harness.samples()).all('proxywatch_spend');
  const periods = Map.groupBy(found, ({ labels }) => labels.period ?? '');
  return Object.fromEntries(
    [...periods].map(([period, all]) => [period, all.reduce((sum, { value }) => sum + value, 0)]),
  );
};
const costAt = (
  prices: { residential: number; mobile: number },
  used: { residential: number; mobile: number },
) => used.residential * prices.residential + used.mobile * prices.mobile;

it('is true over three days, and a new price changes only what follows', async () => {
  await using api = await build();
  const { harness } = api;
  const counted = async () =>
    (await harness.samples()).by('product_type', 'proxywatch_cost_total').residential ?? Number.NaN;
  const usedBytes = async () =>
    (await harness.samples()).by('reason', 'proxywatch_residential_ledger_used_bytes_total').usage ?? 0;
  for (const [day, date] of ['2026-07-07', '2026-07-08'].entries()) {
    harness.simulator.faults.add({ kind: 'status', status: 500, endpoint: 'ledger' });
    await harness.advance(DAY / 2);
    harness.simulator.faults.clear();
    if (day === 1) await harness.restart();
    await harness.advance(DAY / 2);
    expect(await counted()).toBeCloseTo((await usedBytes()) * 4e-9, 9);
    const spend = await spendOf(harness);
    expect(spend?.day).toBeCloseTo(costAt(PRICES, usedGb(harness, date)), 6);
    expect(spend?.week).toBeCloseTo(
      costAt(PRICES, usedGb(harness, '2026-07-06', '2026-07-07', '2026-07-08')),
      6,
    );
    expect(spend?.month).toBeCloseTo(costAt(PRICES, usedGb(harness, '2026-07')), 6);
  }
  const before = { cost: await counted(), bytes: await usedBytes() };
  await harness.restart({ prices: { ...HOURLY, residential: 1 } });
  expect(await counted()).toBe(before.cost);
  await harness.advance(DAY);
  expect(await usedBytes()).toBeGreaterThan(before.bytes);
  expect(await counted()).toBeCloseTo(before.cost + ((await usedBytes()) - before.bytes) * 1e-9, 9);
  const samples = await harness.samples();
  const week = [...Array(7).keys()].map((day) => `2026-07-0${day + 2}`);
  expect(samples.by('product_type', 'proxywatch_burn_per_day')?.residential).toBeCloseTo(
    usedGb(harness, ...week).residential / 7,
    6,
  );
  expect(samples.value('proxywatch_balance_value')).toBeCloseTo(
    (samples.value('proxywatch_residential_balance_bytes') ?? 0) * 1e-9,
    9,
  );
});

it('the costs of users, host names, days and labels add up to that of the account', async () => {
  await using api = await build();
  await api.harness.advance(DAY);
  const query = 'account=main&from=2026-07-01&to=2026-07-07';
  for (const by of ['user', 'hostname', 'network', 'day']) {
    for (const limit of [1, 1_000]) {
      const body = await api.answer(`usage?${query}&by=${by}&limit=${limit}`);
      const [account] = body.accounts as { cost: number; others_cost: number | null; currency: string }[];
      const parts = (body.data as { cost: number }[]).reduce((sum, { cost }) => sum + cost, 0);
      expect(account?.currency).toBe('EUR');
      expect(account?.cost).toBeGreaterThan(100);
      expect(parts + (account?.others_cost ?? 0)).toBeCloseTo(account?.cost ?? Number.NaN, 2);
      for (const label of body.labels as Label[])
        expect(costOfLabel(label)).toBeCloseTo(account?.cost ?? 0, 2);
      expect(body.labels).toHaveLength(by === 'user' ? 1 : 0);
    }
  }
  const body = await api.answer(`usage?${query}&by=network`);
  const types = body.data as { name: string; charged_bytes: number; cost: number }[];
  for (const { name, charged_bytes: bytes, cost } of types) {
    const price = { residential: 4, mobile: 6 }[name] ?? 0;
    expect(cost).toBeCloseTo((bytes * price * 100) / 1e9, 3);
  }
});

interface Label {
  readonly values: readonly { readonly cost: number }[];
  readonly others: { readonly cost: number };
  readonly not_set: { readonly cost: number };
  readonly unknown: { readonly cost: number };
}
const costOfLabel = ({ values, others, not_set: notSet, unknown }: Label): number =>
  [...values, others, notSet, unknown].reduce((sum, { cost }) => sum + cost, 0);

it('without a ledger, the charged bytes are the use', async () => {
  await using api = await build(PRICES, { residential_ledger: false, mobile_ledger: false });
  const [cost] = (await api.answer('cost')).data as CostJson[];
  expect(cost?.product_types).toMatchObject([
    { product_type: 'residential', source: 'usage', left_bytes: null },
    { product_type: 'mobile', source: 'usage', left_bytes: null },
  ]);
});

it('an unknown type is unknown, and in no sum, but a budget that the other exceeds is found', async () => {
  await using api = await build(PRICES, { residential_ledger: false, usage: false });
  const { harness } = api;
  const used = usedGb(harness, '2026-07-06');
  expect((await spendOf(harness)).day).toBeCloseTo(used.mobile * 6, 6);
  const [cost] = (await api.answer('cost')).data as CostJson[];
  expect(cost).toMatchObject({ spend: { day: null, week: null, month: null }, month_forecast: null });
  expect(cost?.product_types).toMatchObject([
    { product_type: 'residential', read_at: null, price: 400, spend: { month: null }, bytes_per_day: null },
    { product_type: 'mobile', source: 'ledger', price: 600 },
  ]);
  expect(await findingsOf(harness, 'SpendAboveBudget')).toHaveLength(1);
});

it('what was last read before a day says nothing about it, and its average stays', async () => {
  await using api = await build();
  const { harness } = api;
  const burn = async () =>
    (await harness.samples()).by('product_type', 'proxywatch_burn_per_day').residential;
  const before = await burn();
  harness.simulator.faults.add({ kind: 'status', status: 403, endpoint: 'residential_ledger' });
  await harness.advance(DAY);
  expect(await burn()).toBe(before);
  const [cost] = (await api.answer('cost')).data as CostJson[];
  expect(cost?.spend).toMatchObject({ day: null, week: expect.any(Number), month: expect.any(Number) });
});

it('days that were not read make a period unknown', async () => {
  const NO_LEDGERS = { residential_ledger: false, mobile_ledger: false };
  await using api = await build(PRICES, {
    ...NO_LEDGERS,
    usage: { ...HOURLY, history_days: 2, reread_days: 2 },
  });
  const [cost] = (await api.answer('cost')).data as CostJson[];
  expect(cost?.spend).toMatchObject({ day: expect.any(Number), month: null });
  expect(cost?.month_forecast).toBeNull();
});

it('charged bytes that the provider does not give cost nothing that is known', async () => {
  const NO_LEDGERS = { residential_ledger: false, mobile_ledger: false };
  await using api = await build(PRICES, { ...NO_LEDGERS, usage: { schedule: '0 0 * * *', history_days: 7 } });
  api.harness.simulator.faults.add({
    ...{ kind: 'missing_fields', endpoint: 'log_summary', fields: ['log_summary_charged_bytes'] },
  });
  await api.harness.advance(DAY / 2);
  const [cost] = (await api.answer('cost')).data as CostJson[];
  expect(cost?.spend).toEqual({ day: null, week: null, month: null });
  const { accounts, labels } = await api.answer('usage?by=user&from=2026-07-07&to=2026-07-07');
  expect(accounts).toMatchObject([{ charged_bytes: null, cost: null }]);
  expect(labels).toMatchObject([{ not_set: { charged_bytes: null, cost: null } }]);
});

it('another choice of reasons changes no cost', async () => {
  await using api = await build();
  const { harness } = api;
  await harness.advance(DAY);
  const cost = async () => (await harness.samples()).by('product_type', 'proxywatch_cost_total').residential;
  const before = await cost();
  await harness.restart({ residential_ledger: { ...HOURLY, usage_reasons: ['usage', 'adjustment'] } });
  expect(await cost()).toBe(before);
});

it('bytes of a type without a price cost nothing that is known', async () => {
  await using api = await build({ residential: 4 });
  const { data } = await api.answer('usage?by=network');
  const costs = (data as { name: string; cost: number | null }[]).map((sum) => [sum.name, sum.cost]);
  expect(Object.fromEntries(costs)).toMatchObject({
    mobile: null,
    isp: null,
    residential: expect.any(Number),
  });
});

interface CostJson {
  readonly spend: Readonly<Record<string, number | null>>;
  readonly month_forecast: number | null;
  readonly product_types: readonly unknown[];
}

it('the size of the newest purchase decides about the tier', async () => {
  const tiers = { tiers: [{ up_to: 50, price: 8 }, { price: 2 }] };
  await using api = await build({ residential: tiers });
  const purchases = api.harness.simulator.truth
    .ledger()
    .filter((row) => row.residential_ledger_reason === 'top_up');
  const newest = purchases.at(-1)?.residential_ledger_bytes ?? Number.NaN;
  const samples = await api.harness.samples();
  expect(samples.value('proxywatch_price_per_byte')).toBeCloseTo((newest <= 50e9 ? 8 : 2) / 1e9, 15);
});

it('a budget that is exceeded is found, with its period, and not one that is not', async () => {
  await using api = await build();
  const [found, ...others] = await findingsOf(api.harness, 'SpendAboveBudget');
  expect(others).toEqual([]);
  expect(found?.labels).toEqual({ period: 'day', currency: 'EUR' });
  expect(found?.value).toBeCloseTo(costAt(PRICES, usedGb(api.harness, '2026-07-06')), 6);
});
