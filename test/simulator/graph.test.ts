// Tests analytics/graph: buckets, filters, rules and daylight saving time.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { NOW, openSimulator, type Row, type SimulatorClient, sumOf } from './simulator-client.ts';

const TOTALS = {
  total_bytes: 'bytes',
  total_requests: 'requests',
  total_successful: 'successful',
  total_error: 'error',
  total_smartpath_routed_bytes: 'smartpath_routed_bytes',
  total_smartpath_routed_requests: 'smartpath_routed_requests',
  total_smartpath_money_saved: 'smartpath_money_saved',
};
const MORNING = {
  interval: 'minute',
  period_start: '2026-07-10 06:00:00',
  period_end: '2026-07-10 07:00:00',
};

let client: SimulatorClient;
beforeAll(async () => {
  client = await openSimulator();
});
afterAll(() => client[Symbol.asyncDispose]());

const graph = async (query: Record<string, string>): Promise<Row> => {
  const { status, body } = await client.get('analytics/graph', query);
  expect(body).toMatchObject({ message: expect.any(String) });
  expect(status).toBe(200);
  return body.data;
};
const starts = (data: Row) => data.intervals.map(({ interval }) => interval);

describe('buckets', () => {
  test('add up to their totals and to the truth', async () => {
    const data = await graph(MORNING);
    expect(data.intervals).toHaveLength(60);
    for (const [total, field] of Object.entries(TOTALS))
      expect(data[total]).toBe(sumOf(data.intervals, field));
    for (const row of data.intervals) expect(Number(row.successful) + Number(row.error)).toBe(row.requests);
    const from = Date.parse('2026-07-10T06:00:00Z');
    expect(client.simulator.truth.traffic({}, from, from + HOUR)).toMatchObject({
      bytes: data.total_bytes,
      requests: data.total_requests,
      failed: data.total_error,
      smartpathBytes: data.total_smartpath_routed_bytes,
    });
  });

  test('are the same at every interval', async () => {
    const range = { period_start: '2026-07-09', period_end: '2026-07-09' };
    const [minutes, hours, days] = await Promise.all(
      ['minute', 'hour', 'day'].map((interval) => graph({ ...range, interval })),
    );
    expect(starts(days as Row)).toEqual(['2026-07-09']);
    expect(starts(hours as Row)).toHaveLength(24);
    expect(starts(minutes as Row)).toHaveLength(1440);
    expect(minutes?.total_bytes).toBe(days?.total_bytes);
    expect(hours?.total_bytes).toBe(days?.total_bytes);
  });

  test('end before period_end if it is a datetime', async () => {
    const data = await graph({ ...MORNING, period_end: '2026-07-10 06:02:00' });
    expect(starts(data)).toEqual(['2026-07-10 06:00:00', '2026-07-10 06:01:00']);
  });

  test('include the current one and none after it', async () => {
    const data = await graph({ interval: 'hour', period_start: '2026-07-10', period_end: '2026-07-11' });
    expect(starts(data).at(-1)).toBe('2026-07-10 12:00:00');
  });

  test('of minutes are kept for 7 days, of hours and days for longer', async () => {
    const week = { period_start: '2026-07-01', period_end: '2026-07-04' };
    const minutes = await graph({ ...week, interval: 'minute' });
    expect(starts(minutes)[0]).toBe('2026-07-03 12:35:00');
    expect(starts(await graph({ ...week, interval: 'hour' }))).toHaveLength(96);
  });

  test('of months are dates', async () => {
    const data = await graph({ interval: 'month', period_start: '2026-01-01', period_end: '2026-12-31' });
    expect(starts(data)).toEqual(['2026-06-01', '2026-07-01']);
  });

  test('a preset overrides range and interval', async () => {
    const data = await graph({ preset: 'last_hour', interval: 'day', period_start: 'nonsense' });
    expect(data.intervals).toHaveLength(60);
    expect(starts(data).at(-1)).toBe('2026-07-10 12:34:00');
    for (const preset of [
      'last_day',
      'last_week',
      'last_30_days',
      'last_60_days',
      'last_90_days',
      'last_year',
    ]) {
      expect((await graph({ preset })).intervals.length).toBeGreaterThan(0);
    }
  });

  test('have less traffic at night than by day', async () => {
    const data = await graph({ interval: 'hour', period_start: '2026-07-09', period_end: '2026-07-09' });
    const [night, noon] = [data.intervals[3], data.intervals[15]];
    expect(Number(night?.bytes)).toBeLessThan(Number(noon?.bytes));
  });
});

describe('slices', () => {
  test('of the product types add up to the account', async () => {
    const types = await Promise.all(
      ['datacenter', 'isp', 'residential', 'mobile'].map((network) => graph({ ...MORNING, network })),
    );
    expect(sumOf(types, 'total_bytes')).toBe((await graph(MORNING)).total_bytes);
    expect(sumOf(types, 'total_requests')).toBe((await graph(MORNING)).total_requests);
  });

  test('of users, hostnames and services add up when the buckets have settled', async () => {
    const { truth } = client.simulator;
    const whole = await graph(MORNING);
    const services = (await client.get('proxy/search')).body.data.map(({ service_id }) => String(service_id));
    const filterSets = [
      [...truth.users().keys()].map((id) => ({ proxy_user_id: id })),
      ['www.example.com', 'shop.example', 'api.example.com'].map((hostname) => ({ hostname })),
      [...new Set(services)].map((id) => ({ service_id: id })),
    ];
    for (const filters of filterSets) {
      const slices = await Promise.all(filters.map((filter) => graph({ ...MORNING, ...filter })));
      expect(sumOf(slices, 'total_bytes')).toBe(whole.total_bytes);
      expect(sumOf(slices, 'total_error')).toBe(whole.total_error);
    }
  });

  test('of an unknown user are empty', async () => {
    const data = await graph({ ...MORNING, proxy_user_id: 'nobody' });
    expect(data.total_bytes).toBe(0);
    expect(data.intervals).toHaveLength(60);
  });

  test('empty buckets are left out if the scenario says so', async () => {
    await using sparse = await openSimulator({ empty_buckets: false, traffic: { quiet_ratio: 0.5 } });
    const { body } = await sparse.get('analytics/graph', { ...MORNING, network: 'isp' });
    expect(body.data.intervals.length).toBeGreaterThan(0);
    expect(body.data.intervals.length).toBeLessThan(60);
    expect(body.data.intervals.every(({ requests }) => Number(requests) > 0)).toBe(true);
  });
});

describe('rules', () => {
  test.each([
    ['an unknown interval', { ...MORNING, interval: 'second' }, 400],
    ['no range', { interval: 'minute' }, 400],
    ['a malformed datetime', { ...MORNING, period_start: '2026-07-10T06:00:00Z' }, 400],
    ['a date that does not exist', { ...MORNING, period_start: '2026-02-30' }, 400],
    ['a range that ends before it begins', { ...MORNING, period_end: '2026-07-10 05:00:00' }, 400],
    ['an unknown preset', { preset: 'last_decade' }, 400],
    ['an unknown product type', { ...MORNING, network: 'satellite' }, 400],
    ['an unknown parameter', { ...MORNING, product_type: 'isp' }, 400],
    ['a malformed boolean', { ...MORNING, show_log_concurrency: 'maybe' }, 400],
    ['concurrency by day', { ...MORNING, interval: 'day', show_log_concurrency: 'true' }, 422],
    ['concurrency by month', { ...MORNING, interval: 'month', show_log_concurrency: 'true' }, 422],
    ['a service by day', { ...MORNING, interval: 'day', service_id: 'API-1' }, 422],
    ['a service 8 days ago', { ...MORNING, period_start: '2026-07-02', service_id: 'API-1' }, 422],
    ['a hostname 91 days ago', { ...MORNING, period_start: '2026-04-10', hostname: 'shop.example' }, 422],
  ])('refuse %s', async (_, query, status) => {
    expect((await client.get('analytics/graph', query)).status).toBe(status);
  });

  test('concurrency is returned on request, with its totals', async () => {
    const data = await graph({ ...MORNING, show_log_concurrency: 'True' });
    const peaks = data.intervals.map(({ max_log_concurrency }) => Number(max_log_concurrency));
    expect(data.total_max_log_concurrency).toBe(Math.max(...peaks));
    for (const { avg_log_concurrency, max_log_concurrency } of data.intervals) {
      expect(Number(avg_log_concurrency)).toBeLessThanOrEqual(Number(max_log_concurrency));
    }
    expect(data.total_avg_log_concurrency).toBeGreaterThan(0);
    expect(await graph(MORNING)).not.toHaveProperty('total_avg_log_concurrency');
  });
});

describe('daylight saving in Europe/Paris', () => {
  const day = async (date: string, now: string, interval: string) => {
    await using paris = await openSimulator({ time_zone: 'Europe/Paris' }, now);
    const { body } = await paris.get('analytics/graph', { interval, period_start: date, period_end: date });
    const from = Date.parse(`${date}T00:00:00Z`) - (interval === 'hour' ? 2 * HOUR : 0);
    return { data: body.data, truth: paris.simulator.truth, from };
  };

  test('the repeated hour is returned twice, in order, and no traffic is lost', async () => {
    const { data, truth, from } = await day('2025-10-26', '2025-10-30T00:00:00Z', 'hour');
    expect(starts(data).slice(1, 5)).toEqual(
      ['01', '02', '02', '03'].map((hour) => `2025-10-26 ${hour}:00:00`),
    );
    expect(data.intervals).toHaveLength(25);
    expect(data.total_bytes).toBe(truth.traffic({}, from, from + DAY + HOUR).bytes);
  });

  test('the skipped hour is missing', async () => {
    const { data } = await day('2026-03-29', '2026-03-30T12:00:00Z', 'minute');
    expect(data.intervals).toHaveLength(23 * 60);
    expect(starts(data).slice(119, 121)).toEqual(['2026-03-29 01:59:00', '2026-03-29 03:00:00']);
  });

  test('a day with a repeated hour has 25 hours', async () => {
    const days = await day('2025-10-26', '2025-10-30T00:00:00Z', 'day');
    const hours = await day('2025-10-26', '2025-10-30T00:00:00Z', 'hour');
    expect(starts(days.data)).toEqual(['2025-10-26']);
    expect(days.data.total_bytes).toBe(hours.data.total_bytes);
  });
});

test('the same seed, start and time give the same answer in another simulator', async () => {
  const scenario = { seed: 5, start: '2026-06-20T00:00:00Z' };
  await using first = await openSimulator(scenario);
  await using second = await openSimulator(scenario, '2026-07-12T00:00:00Z');
  await second.get('analytics/graph', { preset: 'last_week' });
  second.clock.jumpTo(NOW);
  const [a, b] = await Promise.all([first, second].map((one) => one.get('analytics/graph', MORNING)));
  expect(a?.body).toEqual(b?.body);
  await using other = await openSimulator({ ...scenario, seed: 6 });
  expect((await other.get('analytics/graph', MORNING)).body).not.toEqual(a?.body);
});
