// Tests readGraph: its requests, decoded buckets, skipped rows, and answers that were cut short.

import { describe, expect, it } from 'vitest';
import { type GraphQuery, readGraph } from '../../src/provider/resources/analytics.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';

const utc = (text: string) => Date.parse(`${text}Z`);

const QUERY: GraphQuery = {
  filter: {},
  interval: 'minute',
  from: utc('2026-03-01T12:00'),
  to: utc('2026-03-01T13:00'),
  concurrency: true,
  timeZone: 'UTC',
  parameters: { productType: 'network', concurrency: 'show_log_concurrency' },
};

const row = (interval: string, bytes: number, more: object = {}) => ({
  interval,
  interval_name: 'any',
  bytes,
  requests: 10,
  successful: 9,
  error: 1,
  smartpath_routed_bytes: 5,
  smartpath_routed_requests: 2,
  smartpath_money_saved: 0.1,
  ...more,
});

const read = async (data: object, query: Partial<GraphQuery> = {}) => {
  await using provider = await startFakeProvider(() => ({ body: { data, message: 'ok' } }));
  await using client = connect(provider);
  const graph = await readGraph(client, { ...QUERY, ...query });
  return { ...graph, parameters: provider.requests[0]?.query };
};

describe('readGraph', () => {
  it('sends times in the provider’s zone, under the configured parameter names', async () => {
    const filter = { productType: 'isp', proxyUserId: 'alice', serviceId: 'API-1', hostname: 'shop.example' };
    const { parameters } = await read({ intervals: [] }, { filter, timeZone: 'Europe/Paris' });
    expect(parameters).toEqual({
      period_start: '2026-03-01 13:00:00',
      period_end: '2026-03-01 14:00:00',
      interval: 'minute',
      network: 'isp',
      proxy_user_id: 'alice',
      service_id: 'API-1',
      hostname: 'shop.example',
      show_log_concurrency: 'true',
    });
  });

  it('never requests the concurrency of days, which the provider refuses', async () => {
    const range = { from: utc('2026-03-01T00:00'), to: utc('2026-03-02T00:00') };
    const { parameters, buckets } = await read(
      { intervals: [row('2026-03-01', 7)] },
      { ...range, interval: 'day' },
    );
    expect(parameters).not.toHaveProperty('show_log_concurrency');
    expect(buckets).toMatchObject([{ at: range.from, bytes: 7 }]);
  });

  it('returns buckets in order, with the code’s own field names', async () => {
    const intervals = [
      row('2026-03-01 12:01:00', 200),
      row('2026-03-01 12:00:00', 100, { avg_log_concurrency: 1.5, max_log_concurrency: 3 }),
    ];
    const { buckets, skipped } = await read({
      intervals,
      total_bytes: 300,
      total_smartpath_money_saved: 0.2,
    });
    expect(skipped).toBe(0);
    expect(buckets).toEqual([
      {
        at: QUERY.from,
        bytes: 100,
        requests: 10,
        successful: 9,
        failed: 1,
        smartpathBytes: 5,
        smartpathRequests: 2,
        smartpathMoneySaved: 0.1,
        concurrencyAverage: 1.5,
        concurrencyMax: 3,
      },
      expect.objectContaining({ bytes: 200, concurrencyAverage: null, concurrencyMax: null }),
    ]);
  });

  it('treats missing and null values as not given', async () => {
    const sparse = { interval: '2026-03-01 12:00:00', bytes: 1, requests: 1, successful: 1, error: 0 };
    const intervals = [{ ...sparse, smartpath_money_saved: null }];
    const { buckets } = await read({ intervals, total_smartpath_routed_bytes: 99, total_bytes: null });
    expect(buckets).toMatchObject([
      { smartpathBytes: null, smartpathRequests: null, smartpathMoneySaved: null },
    ]);
  });

  it.each([
    ['null', null],
    ['text', '5'],
    ['negative', -1],
    ['a fraction', 0.5],
    ['too large to be exact', 2 ** 53],
  ])(
    'keeps the other values of a bucket whose requests are %s, and checks the other totals',
    async (_, requests) => {
      const intervals = [row('2026-03-01 12:00:00', 1, { requests }), row('2026-03-01 12:01:00', 2)];
      const { buckets, skipped } = await read({ intervals, total_bytes: 3, total_requests: 15 });
      expect(buckets).toMatchObject([{ bytes: 1, requests: null, successful: 9 }, { bytes: 2 }]);
      expect(skipped).toBe(1);
      await expect(read({ intervals, total_bytes: 4 })).rejects.toMatchObject({ kind: 'bad_response' });
    },
  );

  it('skips a bucket without values', async () => {
    const nothing = { bytes: null, requests: null, successful: null, error: null };
    const intervals = [row('2026-03-01 12:00:00', 1, nothing), row('2026-03-01 12:01:00', 2)];
    expect(await read({ intervals })).toMatchObject({ buckets: [{ bytes: 2 }], skipped: 1 });
  });

  it('skips rows that are outside the range, malformed or not objects', async () => {
    const intervals = [row('2026-03-01 11:59:00', 1), row('2026-03-01 13:00:00', 2), row('noon', 3), null];
    expect(await read({ intervals })).toMatchObject({ buckets: [], skipped: 4 });
  });

  it.each(['bytes', 'requests', 'successful', 'error', 'smartpath_routed_bytes', 'smartpath_money_saved'])(
    'rejects an answer whose buckets lack %s of the total',
    async (field) => {
      const intervals = [row('2026-03-01 12:00:00', 100)];
      const failure = read({ intervals, [`total_${field}`]: 1_000 });
      await expect(failure).rejects.toMatchObject({ kind: 'bad_response', endpoint: 'analytics/graph' });
      await expect(failure).rejects.toThrow(/cut short: 1 buckets add up to [\d.]+ \w+ of 1000$/);
    },
  );

  describe('if totals differ from the sums of the buckets', () => {
    const minutes = (count: number, from = 0) =>
      Array.from({ length: count }, (_, index) =>
        row(`2026-03-01 12:${String(from + index).padStart(2, '0')}:00`, 100),
      );
    const BELOW = { contradictions: ['buckets_below_totals'] };
    const ABOVE = { contradictions: ['buckets_above_totals'] };

    it('accepts totals below the sum, and reports the contradiction', async () => {
      expect(await read({ intervals: minutes(60), total_requests: 599 })).toMatchObject(ABOVE);
      expect(await read({ intervals: minutes(20), total_requests: 199 })).toMatchObject(ABOVE);
    });

    it('accepts totals above the sum if the buckets reach the end of the range', async () => {
      const answer = await read({ intervals: minutes(60), total_requests: 700, total_bytes: 9_000 });
      expect(answer).toMatchObject(BELOW);
      expect(answer.buckets).toHaveLength(60);
    });

    it.each([
      ['in order of time', (rows: object[]) => rows, minutes(30)],
      ['newest first', (rows: object[]) => rows.toReversed(), minutes(30, 30)],
    ])('rejects a list %s that ends early', async (_, order, rows) => {
      const totals = { total_requests: 600, total_bytes: 6_000 };
      await expect(read({ intervals: order(rows), ...totals })).rejects.toThrow(/cut short/);
      expect(await read({ intervals: order(minutes(60)), ...totals, total_bytes: 6_090 })).toMatchObject(
        BELOW,
      );
    });

    it('expects no buckets for the future or the newest minutes', async () => {
      const now = () => utc('2026-03-01T12:45:30');
      const totals = { total_requests: 600, total_bytes: 6_000 };
      expect(await read({ intervals: minutes(31), ...totals }, { now })).toMatchObject(BELOW);
      await expect(read({ intervals: minutes(28), ...totals }, { now })).rejects.toThrow(/cut short/);
    });

    it('accepts a list without empty buckets that lacks less than one bucket holds', async () => {
      const sparse = [...minutes(3), ...minutes(2, 20)];
      expect(await read({ intervals: sparse, total_requests: 51 })).toMatchObject(BELOW);
      await expect(read({ intervals: sparse, total_requests: 90, total_bytes: 900 })).rejects.toThrow(/cut/);
    });

    it('accepts a list that ends early if its bytes add up, because a lost bucket takes its bytes along', async () => {
      const answer = await read({ intervals: minutes(30), total_requests: 600, total_bytes: 3_000 });
      expect(answer).toMatchObject(BELOW);
    });

    it('rejects an answer without buckets whose totals are not 0', async () => {
      await expect(read({ intervals: [], total_requests: 1 })).rejects.toThrow(/cut short/);
      expect(await read({ intervals: [], total_requests: 0 })).toMatchObject({ contradictions: [] });
    });
  });

  it('counts a repeated bucket once', async () => {
    const intervals = [row('2026-03-01 12:00:00', 100), row('2026-03-01 12:00:00', 100)];
    const { buckets, skipped } = await read({ intervals, total_bytes: 100 });
    expect(buckets).toMatchObject([{ bytes: 100 }]);
    expect(skipped).toBe(0);
  });

  it('uses the last of two contradicting rows, unless the totals include both', async () => {
    const intervals = [row('2026-03-01 12:00:00', 100), row('2026-03-01 12:00:00', 120)];
    const { buckets } = await read({ intervals, total_bytes: 120 });
    expect(buckets).toMatchObject([{ bytes: 120 }]);
    await expect(read({ intervals, total_bytes: 220 })).rejects.toThrow(/cut short/);
  });

  it('distinguishes the two hours with the same local time', async () => {
    const times = ['01:00:00', '02:00:00', '02:00:00', '03:00:00'];
    const intervals = times.map((time, i) => row(`2026-10-25 ${time}`, 2 ** i));
    const range = { from: utc('2026-10-24T22:00'), to: utc('2026-10-25T03:00') };
    const zone = { ...range, interval: 'hour', timeZone: 'Europe/Paris' } as const;
    const { buckets } = await read({ intervals, total_bytes: 15 }, zone);
    const first = utc('2026-10-24T23:00');
    expect(buckets.map(({ at, bytes }) => [(at - first) / 3_600_000, bytes])).toEqual([
      [0, 1],
      [1, 2],
      [2, 4],
      [3, 8],
    ]);
  });

  describe('in the night when clocks go back', () => {
    const night = {
      ...QUERY,
      ...{ from: utc('2026-10-24T23:00'), to: utc('2026-10-25T02:00') },
      ...{ interval: 'hour' as const, timeZone: 'Europe/Paris' },
    };
    const [before, first] = ['01:00:00', '02:00:00'].map((time, i) => row(`2026-10-25 ${time}`, 2 ** i));

    it('reads the first of the two hours while the second has not begun', async () => {
      const now = () => utc('2026-10-25T00:30');
      const { buckets, skipped } = await read({ intervals: [before, first] }, { ...night, now });
      expect(buckets).toMatchObject([{ at: night.from }, { at: utc('2026-10-25T00:00') }]);
      expect(skipped).toBe(0);
    });

    it.each([
      ['00:59', 0],
      ['01:14', 0],
      ['01:16', 1],
    ])('counts an hour as skipped only once the second is published: at %s UTC', async (time, skipped) => {
      const now = () => utc(`2026-10-25T${time}`);
      const answer = await read({ intervals: [before, first] }, { ...night, now });
      expect(answer).toMatchObject({ buckets: [{ at: night.from }], skipped });
    });
  });

  it('leaves out zeros of the future, but not its traffic', async () => {
    const empty = { bytes: 0, requests: 0, successful: 0, error: 0 };
    const intervals = [
      row('2026-03-01 12:30:00', 1),
      row('2026-03-01 12:31:00', 0, empty),
      row('2026-03-01 12:32:00', 0, empty),
      row('2026-03-01 12:50:00', 1),
    ];
    const { buckets, skipped } = await read({ intervals }, { now: () => utc('2026-03-01T12:31:30') });
    expect(buckets.map(({ at }) => new Date(at).getUTCMinutes())).toEqual([30, 31, 50]);
    expect(skipped).toBe(0);
  });

  it.each([{}, { intervals: null }, { intervals: {} }])('rejects %j as a graph', async (data) => {
    await expect(read(data)).rejects.toThrow(/analytics\/graph: unexpected answer: data\.intervals: /);
  });
});
