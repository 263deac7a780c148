// Tests when requests that fail for the same reason are reported, and that old data starts and ends nothing.

import { expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { RequestCount } from '../../src/store/request-log-store.ts';
import { buildWithOnly } from '../collectors/single-collector.ts';
import { findingLabels, findingsOf } from '../support/findings.ts';
import type { Harness } from '../support/harness.ts';

const ALERT = 'RequestErrorsHigh';

/** Refuses the log, so that only the test stores what was counted. */
const build = (): Promise<Harness> =>
  buildWithOnly(
    'request_log',
    { schedule: '0 0 1 1 *' },
    { faults: [{ kind: 'status', status: 422, endpoint: 'log/search' }] },
  );

const requests = (productType: string, all: number, errors: Record<string, number>): RequestCount => ({
  productType,
  requests: all,
  errors: Object.entries(errors).map(([name, rows]) => ({ class: name, code: '000', errors: rows })),
});

/** Stores the next minutes, counted `lateMs` after their end. */
const count = async ({ app }: Harness, counts: RequestCount[] | null, lateMs = 0): Promise<void> => {
  const { requestLog } = app.store;
  const { countedTo: from } = (await requestLog.state('main')) ?? { countedTo: 0 };
  const to = from + 5 * MINUTE;
  const sampled = { kind: 'user', name: 'alice', class: 'credentials' } as const;
  const samples = [{ ...sampled, errors: 30, errorsVariance: 4, bytes: 900 }];
  await requestLog.save('main', { from, to, counts, samples }, to + lateMs);
};

it('is found for classes with many errors of at least 100 requests, and names the top user', async () => {
  await using harness = await build();
  await count(harness, [
    requests('residential', 200, { credentials: 30, target: 90, no_node: 20 }),
    requests('isp', 200, { target: 101, policy: 100 }),
    requests('mobile', 99, { quota: 99 }),
  ]);
  expect(await findingsOf(harness, ALERT)).toEqual([
    {
      labels: { class: 'credentials', product_type: 'residential' },
      value: 0.15,
      reason: 'the proxy refused the user name or password, most often for user alice',
    },
    {
      labels: { class: 'target', product_type: 'isp' },
      value: 0.505,
      reason: 'the proxy could not reach the target',
    },
  ]);
});

it('is about the newest counted hour, and stays while older time or nothing is counted', async () => {
  await using harness = await build();
  const failing = [requests('isp', 100, { quota: 50 })];
  const labels = [{ class: 'quota', product_type: 'isp' }];
  await count(harness, failing);
  expect(await findingLabels(harness, ALERT)).toEqual(labels);
  await count(harness, null);
  expect(await findingLabels(harness, ALERT)).toEqual(labels);
  await count(harness, [requests('isp', 900, {})], 9 * HOUR);
  expect(await findingLabels(harness, ALERT)).toEqual(labels);
  await count(harness, [requests('isp', 900, {})]);
  expect(await findingLabels(harness, ALERT)).toEqual([]);
});

it('is not found for old errors that are counted after downtime', async () => {
  await using harness = await build();
  await count(harness, [requests('isp', 100, { quota: 50 })], 9 * HOUR);
  expect(await findingLabels(harness, ALERT)).toEqual([]);
});
