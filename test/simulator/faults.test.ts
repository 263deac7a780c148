// Tests each fault as a client observes it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openSimulator, type Row, type SimulatorClient, sumOf } from './simulator-client.ts';

const HOUR_GRAPH = {
  interval: 'minute',
  period_start: '2026-07-10 06:00:00',
  period_end: '2026-07-10 07:00:00',
};

let client: SimulatorClient;
beforeAll(async () => {
  client = await openSimulator({ users: 30 });
});
afterAll(() => client[Symbol.asyncDispose]());
beforeEach(() => client.simulator.faults.clear());

const users = (query = {}) => client.get('proxy_user/search', { per_page: 10, ...query });
const raw = () => {
  const { baseUrl, publicKey, privateKey } = client.simulator;
  const headers = { 'x-api-public-key': publicKey, 'x-api-private-key': privateKey };
  return fetch(`${baseUrl}/public/user/proxy_user/search`, { headers });
};

describe('limits', () => {
  test('by endpoint and count', async () => {
    client.simulator.faults.add({ kind: 'status', endpoint: 'proxy_user', count: 2 });
    expect((await client.get('proxy/search')).status).toBe(200);
    const statuses = [(await users()).status, (await users()).status, (await users()).status];
    expect(statuses).toEqual([503, 503, 200]);
    expect(client.simulator.faults.list).toEqual([]);
  });

  test('by probability, with the same result for the same seed', async () => {
    const outcomes = async () => {
      await using one = await openSimulator({ users: 1 });
      one.simulator.faults.add({ kind: 'status', status: 500, probability: 0.5 });
      const statuses: number[] = [];
      for (let i = 0; i < 20; i++) statuses.push((await one.get('proxy_user/search')).status);
      return statuses;
    };
    const first = await outcomes();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await outcomes()).toEqual(first);
  });

  test('rejects an unknown fault', () => {
    expect(() => client.simulator.faults.replace([{ kind: 'meteor' }])).toThrow(z.ZodError);
  });
});

describe('in place of an answer', () => {
  test('429 gives the time to wait in the header, in the message or not at all', async () => {
    const { faults } = client.simulator;
    faults.add({ kind: 'rate_limit', tell: 'header', seconds: 7, count: 1 });
    const inHeader = await users();
    expect([inHeader.status, inHeader.headers.get('retry-after')]).toEqual([429, '7']);
    faults.add({ kind: 'rate_limit', tell: 'message', seconds: 45, count: 1 });
    const inMessage = await users();
    expect(inMessage.body.message).toBe('Rate limit exceeded. Please try again in 45 seconds.');
    expect(inMessage.headers.has('retry-after')).toBe(false);
    faults.add({ kind: 'rate_limit', tell: 'nothing', count: 1 });
    expect((await users()).body.message).toBe('Rate limit exceeded. Please try again later.');
  });

  test('a page of HTML', async () => {
    client.simulator.faults.add({ kind: 'html' });
    const response = await raw();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html']);
  });

  test('malformed JSON', async () => {
    client.simulator.faults.add({ kind: 'malformed_json' });
    const text = await (await raw()).text();
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test('a connection that breaks in the middle', async () => {
    client.simulator.faults.add({ kind: 'cut_off' });
    const response = await raw();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('a slow answer is cancelled when the server closes', async () => {
    const slow = await openSimulator();
    slow.simulator.faults.add({ kind: 'slow', delay_ms: 60_000 });
    const pending = slow.get('proxy/search').then(
      () => 'answered',
      () => 'broken',
    );
    await expect.poll(() => slow.simulator.requests.maxInFlight('proxy/search')).toBe(1);
    await slow[Symbol.asyncDispose]();
    expect(await pending).toBe('broken');
  });
});

describe('in the fields', () => {
  test('null, missing, changed and extra fields', async () => {
    const { faults } = client.simulator;
    faults.add({ kind: 'null_fields', fields: ['proxy_user_metadata'], count: 1 });
    expect((await users()).body.data[0]?.proxy_user_metadata).toBeNull();
    faults.add({ kind: 'missing_fields', fields: ['proxy_user_is_default'], count: 1 });
    expect((await users()).body.data[0]).not.toHaveProperty('proxy_user_is_default');
    faults.add({ kind: 'set_fields', fields: { total_count: -1, proxy_user_access_type: 'new' }, count: 1 });
    const { body } = await users();
    expect([body.total_count, body.data[3]?.proxy_user_access_type]).toEqual([-1, 'new']);
    expect(body).not.toHaveProperty('proxy_user_access_type');
    faults.add({ kind: 'extra_fields', fields: { moon: 'full' }, count: 1 });
    const extended = (await users()).body;
    expect([extended.moon, extended.data[0]?.moon]).toEqual(['full', 'full']);
  });
});

describe('in graphs', () => {
  const graph = async (): Promise<Row> => (await client.get('analytics/graph', HOUR_GRAPH)).body.data;

  test('truncated: the totals include all buckets', async () => {
    const whole = await graph();
    client.simulator.faults.add({ kind: 'truncated_buckets', keep: 20 });
    const cut = await graph();
    expect(cut.intervals).toEqual(whole.intervals.slice(0, 20));
    expect(cut.total_bytes).toBe(whole.total_bytes);
  });

  test('absent: the totals lack them too', async () => {
    const whole = await graph();
    client.simulator.faults.add({ kind: 'absent_buckets', every: 10 });
    const sparse = await graph();
    expect(sparse.intervals).toHaveLength(54);
    expect(sparse.total_bytes).toBe(sumOf(sparse.intervals, 'bytes'));
    expect(sparse.total_bytes).toBeLessThan(Number(whole.total_bytes));
  });

  test('duplicate: the totals count them once', async () => {
    const whole = await graph();
    client.simulator.faults.add({ kind: 'duplicate_buckets', every: 30 });
    const doubled = await graph();
    expect(doubled.intervals).toHaveLength(62);
    expect(doubled.intervals[29]).toEqual(doubled.intervals[30]);
    expect(doubled.total_bytes).toBe(whole.total_bytes);
  });
});

describe('between pages', () => {
  const ids = async (page: number) => (await users({ page })).body.data.map((user) => user.proxy_user_id);

  test('a removed item makes the next page miss one', async () => {
    client.simulator.faults.add({ kind: 'shifted_pages', by: 1 });
    expect((await ids(1)).at(-1)).toBe('user-000009');
    expect((await ids(2))[0]).toBe('user-000011');
    expect((await users({ page: 2 })).body.total_count).toBe(29);
  });

  test('an added item makes the next page repeat one', async () => {
    client.simulator.faults.add({ kind: 'shifted_pages', by: -1 });
    expect((await ids(2))[0]).toBe('user-000009');
    expect((await users({ page: 2 })).body.total_count).toBe(31);
  });
});
