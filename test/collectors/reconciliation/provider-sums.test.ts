// Tests the provider's own sums of days, including a provider that rejects them.

import { expect, test } from 'vitest';
import { daysWithin } from '../../../src/collectors/reconciliation/days.ts';
import { readDailySums } from '../../../src/collectors/reconciliation/provider-sums.ts';
import { connect, type Reply, startFakeProvider } from '../../support/fake-provider.ts';

const ZONE = 'Europe/Berlin';
const ACCOUNT = {
  name: 'main',
  time_zone: ZONE,
  schedule_time_zone: ZONE,
  response_time_unit: 'milliseconds',
  currency: 'USD',
  collectors: [],
  thresholds: {},
  parameters: { product_type: 'network', concurrency: 'show_log_concurrency' },
} as const;
/** Two days; clocks are set forward on the second one. */
const DAYS = daysWithin(ZONE, Date.parse('2026-03-27T23:00:00Z'), Date.parse('2026-03-30T00:00:00Z'));

const rowAt = (interval: string) => ({ interval, bytes: 10, requests: 1, successful: 1, error: 0 });
const answer = (labels: readonly string[]): Reply => ({ body: { data: { intervals: labels.map(rowAt) } } });
const hoursOf = (date: string): string[] =>
  Array.from({ length: 24 }, (_, hour) => `${date} ${String(hour).padStart(2, '0')}:00:00`).filter(
    (label) => label !== '2026-03-29 02:00:00',
  );

const read = async (reply: (query: Readonly<Record<string, string>>) => Reply) => {
  await using provider = await startFakeProvider(({ query }) => reply(query));
  await using client = connect(provider);
  const { signal } = new AbortController();
  const sums = await readDailySums(
    { account: ACCOUNT, client, signal },
    { productType: 'residential' },
    DAYS,
  );
  return { sums: [...sums], requests: provider.requests.map(({ query }) => query) };
};

test('all days are requested at once, and a day that is missing from the answer is absent', async () => {
  const { sums, requests } = await read(() => answer(['2026-03-29']));
  expect(sums).toEqual([[DAYS[1]?.start, 10]]);
  expect(requests).toEqual([
    {
      ...{ interval: 'day', network: 'residential' },
      ...{ period_start: '2026-03-28 00:00:00', period_end: '2026-03-30 00:00:00' },
    },
  ]);
});

test('hours replace days that the provider rejects, including those of a day with 23 hours', async () => {
  const { sums, requests } = await read(({ interval, period_start = '' }) =>
    interval === 'day'
      ? { status: 422, body: { message: 'No days.' } }
      : answer(hoursOf(period_start.slice(0, 10))),
  );
  expect(sums).toEqual([
    [DAYS[0]?.start, 240],
    [DAYS[1]?.start, 230],
  ]);
  expect(requests.map(({ interval }) => interval)).toEqual(['day', 'hour', 'hour']);
});
