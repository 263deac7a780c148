// Refusals for pace and quota (429): whose they are, how long they are waited out, and what they cost.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Asked, Endpoints, type Pause } from '../../src/provider/endpoints.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { connect, type Handler, type Reply, settle, startFakeProvider } from '../support/fake-provider.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const OK: Reply = { body: { data: 1 } };
const REFUSED: Reply = { status: 429, body: { message: 'Rate limit exceeded. Please try again later.' } };
const refusedFor = (seconds: number): Reply => ({
  status: 429,
  body: { message: `Too many test runs. Please try again in ${seconds} seconds.` },
});

/** `answer` is asked for every request, with its endpoint and the number of requests to it so far. */
const setUp = async (answer: (endpoint: string, count: number) => Reply, requestsPerSecond = 1_000) => {
  const clock = new FakeClock(NOW);
  const asked: { endpoint: string; at: number }[] = [];
  const handler: Handler = ({ path }) => {
    const endpoint = path.replace('/1.0/public/user/', '');
    asked.push({ endpoint, at: clock.monotonic() });
    return answer(endpoint, asked.filter((other) => other.endpoint === endpoint).length);
  };
  const provider = await startFakeProvider(handler);
  const told: (Pause | string)[] = [];
  const observer = {
    paused: (pause: Pause) => void told.push(pause),
    resumed: (endpoint: string) => void told.push(endpoint),
  };
  const endpoints = new Endpoints({ clock, observer, random: () => 0 });
  const client = connect(provider, { clock, endpoints, requestsPerSecond, random: () => 0.5 });
  return {
    ...{ clock, client, endpoints, asked, told },
    /** Of a run that may take as long from now on. */
    run: (ms: number) => client.forRun(clock.monotonic() + ms),
    /** Seconds between one request and the next. */
    gaps: () => asked.slice(1).map(({ at }, index) => Math.round((at - (asked[index]?.at ?? 0)) / 1_000)),
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
};

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('a refusal', () => {
  it('pauses its endpoint alone, and cuts nobody’s pace', async () => {
    await using api = await setUp((endpoint, count) =>
      endpoint === 'proxy_test_run/create' && count === 1 ? refusedFor(30) : OK,
    );
    const run = api.run(HOUR);
    const refused = run.post('proxy_test_run/create', {});
    await expect.poll(() => api.clock.sleepers).toBe(1);
    await settle(api.clock, run.get('analytics/graph'));
    expect(api.clock.monotonic()).toBeLessThan(1_000);
    expect(api.client.pace).toMatchObject({ limitPerSecond: 1_000 });
    expect(api.endpoints.standing.endpoints).toContainEqual(
      expect.objectContaining({ endpoint: 'proxy_test_run/create', pausedUntil: NOW + 30_000 }),
    );
    await settle(api.clock, refused);
    expect(api.clock.monotonic()).toBeGreaterThanOrEqual(30_000);
    expect(api.endpoints.standing.endpoints.map(({ pausedUntil }) => pausedUntil)).toEqual([null, null]);
  });

  it('is waited out until the run’s deadline, from a second on and twice as long each time', async () => {
    await using api = await setUp((_, count) => (count <= 7 ? REFUSED : OK));
    expect(await settle(api.clock, api.run(10 * MINUTE).get('proxy_user/search'))).toEqual({ data: 1 });
    expect(api.gaps()).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('begins with a second again after a success', async () => {
    await using api = await setUp((_, count) => (count === 4 ? OK : REFUSED));
    const run = api.run(20_000);
    await settle(api.clock, run.get('proxy_user/search'));
    await failureOf(settle(api.clock, run.get('proxy_user/search')));
    expect(api.gaps().slice(0, 6)).toEqual([1, 2, 4, 0, 1, 2]);
  });

  it('that asks for longer than the deadline leaves ends the run at once', async () => {
    await using api = await setUp(() => refusedFor(43_200));
    const error = await failureOf(api.run(10 * MINUTE).get('analytics/graph'));
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ kind: 'rate_limited', status: 429, retryAfterMs: 12 * HOUR });
    expect(api.asked).toHaveLength(1);
    expect(api.clock.monotonic()).toBe(0);
  });

  it('ends later runs as well while it lasts, without a request, and costs nothing', async () => {
    await using api = await setUp((_, count) => (count === 1 ? refusedFor(43_200) : OK));
    const attempts = { sent: 0, refunded: 0 };
    const observer = {
      starts: async () => {
        attempts.sent += 1;
      },
      refused: async () => {
        attempts.refunded += 1;
      },
    };
    const make = () => api.run(10 * MINUTE).post('proxy_test_run/create', {}, { attempts: observer });
    await failureOf(make());
    api.clock.advance(11 * HOUR);
    expect(await failureOf(make())).toMatchObject({
      kind: 'rate_limited',
      message:
        'proxy_test_run/create: not requested, because proxywatch pauses the endpoint until 2026-03-02T00:00:00.000Z after a 429',
    });
    expect(attempts).toEqual({ sent: 1, refunded: 1 });
    api.clock.advance(HOUR);
    await settle(api.clock, make());
    expect(attempts).toEqual({ sent: 2, refunded: 1 });
    expect(api.asked).toHaveLength(2);
  });

  it('is believed for a day at most, and never for less than a second', async () => {
    await using api = await setUp(
      (_, count) => [refusedFor(0), refusedFor(0), refusedFor(1e7)][count - 1] ?? OK,
    );
    await failureOf(settle(api.clock, api.run(HOUR).get('analytics/graph')));
    expect(api.gaps()).toEqual([1, 2]);
    expect(api.endpoints.pauseLeftMs('analytics/graph')).toBe(24 * HOUR);
  });

  it('of requests that were on their way together is one', () => {
    const endpoints = new Endpoints({ clock: new FakeClock(NOW), random: () => 0 });
    const pauses = [1, 2, 3, 4].map(() => endpoints.refused('analytics/graph', 0, undefined).pauseMs);
    expect(pauses).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(endpoints.refused('analytics/graph', 1, undefined).pauseMs).toBe(2_000);
  });

  it('is told when its endpoint is paused, and when it succeeds again', async () => {
    await using api = await setUp((_, count) => (count === 1 ? refusedFor(45) : OK));
    await settle(api.clock, api.run(HOUR).get('analytics/graph'));
    expect(api.told).toEqual([
      { endpoint: 'analytics/graph', durationMs: 45_000, until: NOW + 45_000 },
      'analytics/graph',
    ]);
  });

  it('is waited out for ten seconds where no run says for how long', async () => {
    await using api = await setUp(() => REFUSED);
    expect(await failureOf(settle(api.clock, api.client.get('analytics/graph')))).toMatchObject({
      kind: 'rate_limited',
    });
    expect(api.gaps()).toEqual([1, 2, 4]);
  });
});

describe('refusals of several endpoints', () => {
  it('within a minute halve the pace of the account, and pause it for a minute at most', async () => {
    await using api = await setUp((_, count) => (count === 1 ? refusedFor(90) : OK), 8);
    const run = api.run(HOUR);
    const requests = ['analytics/graph', 'proxy_user/search'].map((endpoint) => run.get(endpoint));
    while (api.client.pace.limitPerSecond > 0) {
      if (api.clock.nextWakeMs < 1_000) api.clock.advance(api.clock.nextWakeMs);
      await nextTurn();
    }
    api.clock.advance(59_000);
    expect(api.client.pace.limitPerSecond).toBe(0);
    api.clock.advance(2_000);
    expect(api.client.pace.limitPerSecond).toBeCloseTo(4, 1);
    await settle(api.clock, Promise.all(requests));
  });

  it('that are further apart leave it as it is', async () => {
    await using api = await setUp((_, count) => (count === 1 ? refusedFor(5) : OK), 8);
    const run = api.run(HOUR);
    for (const endpoint of ['analytics/graph', 'proxy_user/search', 'asn/search']) {
      await settle(api.clock, run.get(endpoint));
      api.clock.advance(MINUTE);
    }
    expect(api.client.pace.limitPerSecond).toBe(8);
  });

  it('of one endpoint again and again leave it as well', async () => {
    await using api = await setUp((endpoint, count) => (endpoint === 'a/b' && count % 2 ? REFUSED : OK), 8);
    const run = api.run(HOUR);
    for (let i = 0; i < 10; i += 1) await settle(api.clock, Promise.all([run.get('a/b'), run.get('c/d')]));
    expect(api.client.pace.limitPerSecond).toBe(8);
  });
});

const asking = (endpoint: string): Asked => ({
  endpoints: new Set([endpoint]),
  needed: new Set([endpoint]),
});

describe('what outlives a restart', () => {
  const standing = {
    endpoints: [
      {
        endpoint: 'proxy_test_run/create',
        ...{ lastSuccessAt: NOW - HOUR, rejectedSince: null, rejectedStatus: null },
        refusedSince: NOW - MINUTE,
        pausedUntil: NOW + 6 * HOUR,
      },
    ],
    unreached: null,
  };

  it('is a pause, of an endpoint that is asked still', async () => {
    await using api = await setUp(() => OK);
    api.endpoints.restore(standing, asking('proxy_test_run/create'));
    expect(await failureOf(api.run(HOUR).post('proxy_test_run/create', {}))).toMatchObject({
      kind: 'rate_limited',
    });
    expect(api.asked).toEqual([]);
    api.clock.advance(6 * HOUR);
    await settle(api.clock, api.run(HOUR).post('proxy_test_run/create', {}));
    expect(api.endpoints.standing.endpoints).toMatchObject([{ refusedSince: null, pausedUntil: null }]);
    await using other = await setUp(() => OK);
    other.endpoints.restore(standing, asking('analytics/graph'));
    expect(other.endpoints.standing.endpoints).toEqual([]);
  });

  it('is no pause of weeks that a wrong clock has left', async () => {
    await using api = await setUp(() => OK);
    const [paused] = standing.endpoints;
    const ahead = {
      ...paused,
      endpoint: 'a/b',
      pausedUntil: NOW + 900 * HOUR,
      lastSuccessAt: NOW + 900 * HOUR,
    };
    api.endpoints.restore(
      { ...standing, endpoints: [{ ...standing.endpoints[0], ...ahead }] } as never,
      asking('a/b'),
    );
    expect(api.endpoints.pauseLeftMs('a/b')).toBe(24 * HOUR);
    expect(api.endpoints.standing.endpoints).toMatchObject([{ lastSuccessAt: NOW }]);
  });
});
