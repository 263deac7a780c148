// Tests that the bytes left by the provider's summaries are compared with the balances of the ledgers: agreement is silent, a planted
// difference is found, and without both sides, read in an order that shows all additions, nothing is said.

import { expect, test } from 'vitest';
import { differs } from '../../../src/collectors/reconciliation/explain.ts';
import { compareSummaries } from '../../../src/collectors/reconciliation/summaries.ts';
import { METERED_TYPES } from '../../../src/lib/product-types.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import type { Harness } from '../../support/harness.ts';
import { advanceHours, buildReconciliation, comparisonsOn, SCENARIO } from './support.ts';

const PAIRS = METERED_TYPES.map((type) => `${type}_summary_ledger`);
const [EARLY, LATE] = [{ schedule: '0 * * * *' }, { schedule: '5 * * * *' }];

const build = (account: Readonly<Record<string, unknown>> = {}) =>
  buildReconciliation({
    scenario: { ...SCENARIO, ledger: { top_up_every_days: 2 } },
    traffic: {
      ...{ ...EARLY, interval: 'hour' },
      graphs: METERED_TYPES.map((type) => ({ name: type, product_type: type })),
    },
    account: { customer: EARLY, residential_ledger: LATE, mobile_ledger: LATE, ...account },
  });

const summariesOn = async (harness: Harness, date: string) =>
  Object.values(await comparisonsOn(harness, date)).filter(({ pair }) => PAIRS.includes(pair));

/** Lets the residential summary say this from now on. */
const plant = (harness: Harness, residential_bytes_left: number | null): void =>
  harness.simulator.faults.replace([
    { kind: 'set_fields', endpoint: 'residential/summary', fields: { residential_bytes_left } },
  ]);

test('sources that agree do not differ, a planted difference is found, and an unknown side is not compared', {
  timeout: 240_000,
}, async () => {
  await using harness = await build();
  await advanceHours(harness, 42);
  const agreed = await summariesOn(harness, '2026-07-07');
  expect(agreed.map(({ pair }) => pair)).toEqual(expect.arrayContaining(PAIRS));
  expect(agreed.filter(differs)).toEqual([]);
  expect(agreed.every(({ unexplainedBytes }) => unexplainedBytes === 0)).toBe(true);

  plant(harness, 1e12);
  await advanceHours(harness, 24);
  const planted = await summariesOn(harness, '2026-07-08');
  expect(planted.filter(differs)).toMatchObject([{ pair: PAIRS[0], firstBytes: 1e12 }]);
  expect(planted).toHaveLength(2);

  plant(harness, null);
  await advanceHours(harness, 24);
  expect(await summariesOn(harness, '2026-07-09')).toMatchObject([{ pair: PAIRS[1] }]);
  await harness.restart({ customer: false });
  const pairs = (await harness.samples()).by('pair', 'proxywatch_reconcile_unexplained_bytes');
  expect(Object.keys(pairs).filter((pair) => PAIRS.includes(pair))).toEqual([]);
});

test('an older or unread listing, and old traffic, leave unknown what they cannot show', {
  timeout: 240_000,
}, async () => {
  await using harness = await build();
  await advanceHours(harness, 20);
  const [running] = harness.app.accounts;
  if (!running) throw new Error('no account');
  const { context: account } = running;
  const { store } = harness.app;
  const end = Date.parse('2026-07-07T00:00:00Z');
  const day = { date: '2026-07-06', start: end - DAY, end };
  const { listing, balance } = await store.ledgers.residential.summary('main');
  const listedAt = listing.completeStartedAt ?? 0;
  const left = (balance?.addedBytes ?? 0) - (balance?.usedBytes ?? 0);
  const foundFor = async (answeredAt: number, leftBytes: number) => {
    const read = { productType: 'residential' as const, boughtBytes: null, usedBytes: null };
    await store.customers.saveSummary('main', { ...read, answeredAt, leftBytes });
    const compared = await compareSummaries({ account, store }, [day]);
    return compared.find(([, pair]) => pair === PAIRS[0])?.[3].explanations;
  };
  const causesOf = async (answeredAt: number, leftBytes: number) =>
    (await foundFor(answeredAt, leftBytes))?.map(({ cause }) => cause);
  expect(await causesOf(listedAt - 1, left)).toEqual(['reading_time']);
  expect(await causesOf(listedAt + 1, left)).toEqual(['reading_time']);
  // Something may have been added after the listing, but only the use of a day was taken away.
  expect(await causesOf(listedAt + 1, 2 * left)).toEqual(['not_listed_after']);
  expect(await causesOf(listedAt + 1, 0)).toEqual(['reading_time']);
  expect(await causesOf(listedAt - 1, 2 * left)).toEqual(['reading_time']);
  const [shortage] = (await foundFor(listedAt + 1, 0)) ?? [];
  expect(shortage?.low).toBeGreaterThan(-left / 2);
  // Traffic was read an hour ago at most when the provider answered.
  expect(await causesOf(listedAt + 6 * HOUR, left)).toEqual(['not_read']);
  // A summary of another day is not compared.
  expect(await causesOf(listedAt - DAY, left)).toBeUndefined();
  expect(await causesOf(listedAt + DAY, left)).toBeUndefined();
  // The listing is older than the end of the day.
  const next = { date: '2026-07-07', start: end, end: end + DAY };
  await store.customers.saveSummary('main', {
    ...{ productType: 'residential', boughtBytes: null, usedBytes: null, leftBytes: left },
    answeredAt: end + DAY + 1,
  });
  const [unlisted] = await compareSummaries({ account, store }, [next]);
  expect(unlisted?.[3].explanations.map(({ cause }) => cause)).toEqual(['not_listed']);
});
