// Tests that charged bytes of log summaries are compared with traffic and ledgers: a planted overbilling is found and named, and what
// smartpath routes past the meter is none.

import { expect, test } from 'vitest';
import { differs } from '../../../src/collectors/reconciliation/explain.ts';
import { METERED_TYPES } from '../../../src/lib/product-types.ts';
import { advanceHours, buildReconciliation, comparisonsOn, SCENARIO } from './support.ts';

const DATE = '2026-07-07';
const LATER = '2026-07-08';
const ALL = [
  'buckets_usage',
  ...METERED_TYPES.flatMap((type) => [
    ...[`${type}_buckets_charged`, `${type}_charged_ledger`, `${type}_users_usage`],
  ]),
];
const HOURLY = { schedule: '5 * * * *' };

test('3% that are charged too much of one product type on one day are found, or 20% that are listed, and smartpath is none', {
  timeout: 120_000,
}, async () => {
  const overlisted = { kind: 'overlisted' as const, network: 'mobile', ratio: 0.2 };
  const overbilled = { kind: 'overbilled' as const, network: 'mobile', ratio: 0.03 };
  await using harness = await buildReconciliation({
    scenario: {
      ...SCENARIO,
      users: 5,
      traffic: { smartpath_ratio: 0.2 },
      discrepancies: [
        { ...overbilled, from: `${DATE}T00:00:00Z`, until: `${DATE}T01:00:00Z` },
        { ...overlisted, from: `${LATER}T00:00:00Z`, until: `${LATER}T01:00:00Z` },
      ],
    },
    traffic: {
      interval: 'hour',
      graphs: METERED_TYPES.map((type) => ({ name: type, product_type: type })),
    },
    account: { usage: { ...HOURLY, history_days: 3 }, mobile_ledger: HOURLY },
  });
  await advanceHours(harness, 66);
  const days = [await comparisonsOn(harness, DATE), await comparisonsOn(harness, LATER)];
  for (const day of days) expect(Object.keys(day)).toEqual(expect.arrayContaining(ALL));
  const differing = days.map((day) =>
    Object.values(day).flatMap((each) => (each && differs(each) ? [each.pair] : [])),
  );
  expect(differing).toEqual([
    ['mobile_buckets_charged', 'mobile_charged_ledger'],
    ['buckets_usage', 'mobile_users_usage'],
  ]);
  const found = days[0]?.mobile_buckets_charged;
  expect(found?.unexplainedBytes).toBeLessThan(0);
  expect((found?.unexplainedBytes ?? 0) / (found?.firstBytes ?? 1)).toBeCloseTo(-0.03, 2);
  expect(days[0]?.residential_buckets_charged?.explained.map(({ cause }) => cause)).toEqual(['smartpath']);
});
