// Tests when the alert about differing sources has findings.

import { expect, it } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import type { ReconciledDay } from '../../src/store/reconciliation-store.ts';
import { findingsOf } from '../support/findings.ts';
import { Harness } from '../support/harness.ts';

const NOW = Date.parse('2026-07-10T12:00:00Z');

const day = (pair: ReconciledDay['pair'], daysAgo: number, values: Partial<ReconciledDay>): ReconciledDay => {
  const dayStart = NOW - (NOW % DAY) - daysAgo * DAY;
  const date = new Date(dayStart).toISOString().slice(0, 10);
  return {
    pair,
    dayStart,
    date,
    firstBytes: 1_000,
    secondBytes: 900,
    explained: [],
    unexplainedBytes: 0,
    hours: [],
    ...values,
  };
};

it('finds the newest day of a pair if more than 1 % is unexplained and both sources are polled', async () => {
  await using harness = await Harness.build({
    now: new Date(NOW).toISOString(),
    account: {
      traffic: { graphs: [{ name: 'residential', product_type: 'residential' }], catch_up: '1h' },
      residential_ledger: false,
      proxy_users: false,
    },
  });
  const { reconciliation } = harness.app.store;
  await reconciliation.save('main', [day('buckets_coarse', 2, { unexplainedBytes: -100 })], NOW);
  await reconciliation.save('main', [day('users_ledger', 2, { unexplainedBytes: 500 })], NOW);
  await reconciliation.save('main', [day('residential_buckets_coarse', 1, { unexplainedBytes: 10 })], NOW);
  expect(await findingsOf(harness, 'ReconciliationDiffers')).toEqual([
    { labels: { pair: 'buckets_coarse' }, value: 0.1 },
  ]);
  await reconciliation.save('main', [day('buckets_coarse', 1, { unexplainedBytes: 0 })], NOW);
  expect(await findingsOf(harness, 'ReconciliationDiffers')).toEqual([]);
  const residential = day('residential_buckets_coarse', 1, { firstBytes: 0, secondBytes: 0 });
  await reconciliation.save('main', [residential], NOW);
  expect(await findingsOf(harness, 'ReconciliationDiffers')).toEqual([]);
});
