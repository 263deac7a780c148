// Tests answers of 429: which endpoints they pause, how long requests wait, and what they cost.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Endpoints, type Pause, type PolledEndpoints } from '../../src/provider/endpoints.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { RunWaits } from '../../src/provider/run-waits.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  advanceUntilSettled,
  connect,
  type Handler,
  type Reply,
  startFakeProvider,
} from '../support/fake-provider.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const OK: Reply = { body: { data: 1 } };
const RATE_LIMITED: Reply = {
  status: 429,
  body: { message: 'Rate limit exceeded. Please try again later.' },
};
const retryAfter = (seconds: number): Reply => ({
  status: 429,
  body: { message: `Too many test runs. Please try again in ${seconds} seconds.` },
});

/** `answer` is called for every request, with its endpoint and the number of requests to it so far. */
const setUp = async (answer: (endpoint: string, count: number) => Reply, requestsPerSecond = 1_000) => {
  const clock = new FakeClock(NOW);
  const requests: { endpoint: string; at: number }[] = [];
  const handler: Handler = ({ path }) => {
    const endpoint = path.replace('/1.0/public/user/', '');
    requests.push({ endpoint, at: clock.monotonic() });
    return answer(endpoint, requests.filter((other) => other.endpoint === endpoint).length);
  };
  const provider = await startFakeProvider(handler);
  const events: (Pause | string)[] = [];
  const observer = {
    paused: (pause: Pause) => void events.push(pause),
    resumed: (endpoint: string) => void events.push(endpoint),
  };
  const endpoints = new Endpoints({ clock, observer, random: () => 0 });
  const client = connect(provider, { clock, endpoints, requestsPerSecond, random: () => 0.5 });
  return {
    ...{ clock, client, endpoints, requests, events },
    /** Returns the client of a run that ends after `ms`. */
    run: (ms: number, waits?: RunWaits) => client.forRun(clock.monotonic() + ms, waits),
    /** Returns the seconds between one request and the next. */
    gaps: () =>
      requests.slice(1).map(({ at }, index) => Math.round((at - (requests[index]?.at ?? 0)) / 1_000)),
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

describe('the waits of a run', () => {
  /** Records what a run waits for, whenever it changes. */
  const record = () => {
    const changes: (string | undefined)[] = [];
    const seconds = (at: number): number => Math.round((at - NOW) / 1_000);
    const waits: RunWaits = new RunWaits(() => {
      const { current } = waits;
      changes.push(current && `${seconds(current.since)} to ${seconds(current.until)}`);
    });
    return { waits, changes };
  };

  it('begin with the first 429, last over further ones, and end with the success', async () => {
    await using api = await setUp((_, count) => (count <= 3 ? RATE_LIMITED : OK));
    const { waits, changes } = record();
    await advanceUntilSettled(api.clock, api.run(MINUTE, waits).get('analytics/graph'));
    expect(changes).toEqual(['0 to 1', '0 to 3', '0 to 7', undefined]);
  });

  it('of a client for a shorter time are those of its run, and end when it gives up', async () => {
    await using api = await setUp((_, count) => (count === 1 ? retryAfter(20) : retryAfter(90)));
    const { waits, changes } = record();
    const short = api.run(HOUR, waits).forRun(api.clock.monotonic() + MINUTE);
    await advanceUntilSettled(api.clock, failureOf(short.get('asn/search')));
    expect(changes).toEqual(['0 to 20', undefined]);
  });

  it('have no request that ends at once because the pause is too long, or because nothing depends on it', async () => {
    await using api = await setUp(() => retryAfter(90));
    const { waits, changes } = record();
    await failureOf(api.run(MINUTE, waits).get('asn/search'));
    await failureOf(api.run(HOUR, waits).get('asn/search', { isOptional: true }));
    expect(changes).toEqual([]);
  });

  it('have the last end of several pauses', async () => {
    await using api = await setUp((endpoint, count) =>
      count > 1 ? OK : retryAfter(endpoint === 'asn/search' ? 40 : 20),
    );
    const { waits, changes } = record();
    const run = api.run(HOUR, waits);
    const requests = ['asn/search', 'city/search'].map((endpoint) => run.get(endpoint));
    await advanceUntilSettled(api.clock, Promise.all(requests));
    expect(changes).toContain('0 to 40');
    expect(changes.at(-1)).toBeUndefined();
  });
});

describe('a 429', () => {
  it('pauses only its endpoint, and does not reduce the pace', async () => {
    await using api = await setUp((endpoint, count) =>
      endpoint === 'proxy_test_run/create' && count === 1 ? retryAfter(30) : OK,
    );
    const run = api.run(HOUR);
    const refused = run.post('proxy_test_run/create', {});
    await expect.poll(() => api.clock.sleepers).toBe(1);
    await advanceUntilSettled(api.clock, run.get('analytics/graph'));
    expect(api.clock.monotonic()).toBeLessThan(1_000);
    expect(api.client.pace).toMatchObject({ limitPerSecond: 1_000 });
    expect(api.endpoints.summary.endpoints).toContainEqual(
      expect.objectContaining({ endpoint: 'proxy_test_run/create', pausedUntil: NOW + 30_000 }),
    );
    await advanceUntilSettled(api.clock, refused);
    expect(api.clock.monotonic()).toBeGreaterThanOrEqual(30_000);
    expect(api.endpoints.summary.endpoints.map(({ pausedUntil }) => pausedUntil)).toEqual([null, null]);
  });

  it('is retried until the run’s deadline, after a second at first and twice as long each time', async () => {
    await using api = await setUp((_, count) => (count <= 7 ? RATE_LIMITED : OK));
    expect(await advanceUntilSettled(api.clock, api.run(10 * MINUTE).get('proxy_user/search'))).toEqual({
      data: 1,
    });
    expect(api.gaps()).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('starts with a pause of a second again after a success', async () => {
    await using api = await setUp((_, count) => (count === 4 ? OK : RATE_LIMITED));
    const run = api.run(20_000);
    await advanceUntilSettled(api.clock, run.get('proxy_user/search'));
    await failureOf(advanceUntilSettled(api.clock, run.get('proxy_user/search')));
    expect(api.gaps().slice(0, 6)).toEqual([1, 2, 4, 0, 1, 2]);
  });

  it('does not delay what follows an optional request', async () => {
    await using api = await setUp(() => retryAfter(30));
    const run = api.run(10 * MINUTE);
    for (const _ of Array(2)) {
      const error = await failureOf(run.get('proxy_user/search', { isOptional: true }));
      expect(error).toMatchObject({ kind: 'rate_limited' });
    }
    expect(api.requests).toHaveLength(1);
    expect(api.clock.monotonic()).toBe(0);
  });

  it('that asks for a pause beyond the deadline fails at once', async () => {
    await using api = await setUp(() => retryAfter(43_200));
    const error = await failureOf(api.run(10 * MINUTE).get('analytics/graph'));
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ kind: 'rate_limited', status: 429, retryAfterMs: 12 * HOUR });
    expect(api.requests).toHaveLength(1);
    expect(api.clock.monotonic()).toBe(0);
  });

  it('fails later runs during the pause too, without a request and without cost', async () => {
    await using api = await setUp((_, count) => (count === 1 ? retryAfter(43_200) : OK));
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
    await advanceUntilSettled(api.clock, make());
    expect(attempts).toEqual({ sent: 2, refunded: 1 });
    expect(api.requests).toHaveLength(2);
  });

  it('pauses for a day at most, and for a second at least', async () => {
    await using api = await setUp(
      (_, count) => [retryAfter(0), retryAfter(0), retryAfter(1e7)][count - 1] ?? OK,
    );
    await failureOf(advanceUntilSettled(api.clock, api.run(HOUR).get('analytics/graph')));
    expect(api.gaps()).toEqual([1, 2]);
    expect(api.endpoints.pauseLeftMs('analytics/graph')).toBe(24 * HOUR);
  });

  it('counts once for requests in flight at the same time', () => {
    const endpoints = new Endpoints({ clock: new FakeClock(NOW), random: () => 0 });
    const pauses = [1, 2, 3, 4].map(() => endpoints.rateLimited('analytics/graph', 0, undefined).pauseMs);
    expect(pauses).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(endpoints.rateLimited('analytics/graph', 1, undefined).pauseMs).toBe(2_000);
  });

  it('is reported when its endpoint is paused, and when it succeeds again', async () => {
    await using api = await setUp((_, count) => (count === 1 ? retryAfter(45) : OK));
    await advanceUntilSettled(api.clock, api.run(HOUR).get('analytics/graph'));
    expect(api.events).toEqual([
      { endpoint: 'analytics/graph', durationMs: 45_000, until: NOW + 45_000 },
      'analytics/graph',
    ]);
  });

  it('is retried for ten seconds outside runs', async () => {
    await using api = await setUp(() => RATE_LIMITED);
    expect(await failureOf(advanceUntilSettled(api.clock, api.client.get('analytics/graph')))).toMatchObject({
      kind: 'rate_limited',
    });
    expect(api.gaps()).toEqual([1, 2, 4]);
  });
});

describe('answers of 429 from several endpoints', () => {
  it('within a minute halve the pace of the account, and pause it for a minute at most', async () => {
    await using api = await setUp((_, count) => (count === 1 ? retryAfter(90) : OK), 8);
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
    await advanceUntilSettled(api.clock, Promise.all(requests));
  });

  it('that are further apart do not reduce the pace', async () => {
    await using api = await setUp((_, count) => (count === 1 ? retryAfter(5) : OK), 8);
    const run = api.run(HOUR);
    for (const endpoint of ['analytics/graph', 'proxy_user/search', 'asn/search']) {
      await advanceUntilSettled(api.clock, run.get(endpoint));
      api.clock.advance(MINUTE);
    }
    expect(api.client.pace.limitPerSecond).toBe(8);
  });

  it('that come from one endpoint repeatedly do not reduce the pace', async () => {
    await using api = await setUp(
      (endpoint, count) => (endpoint === 'a/b' && count % 2 ? RATE_LIMITED : OK),
      8,
    );
    const run = api.run(HOUR);
    for (let i = 0; i < 10; i += 1)
      await advanceUntilSettled(api.clock, Promise.all([run.get('a/b'), run.get('c/d')]));
    expect(api.client.pace.limitPerSecond).toBe(8);
  });
});

const polling = (endpoint: string): PolledEndpoints => ({
  all: new Set([endpoint]),
  required: new Set([endpoint]),
});

describe('the state after a restart', () => {
  const stored = {
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

  it('keeps the pause of an endpoint that is still polled', async () => {
    await using api = await setUp(() => OK);
    api.endpoints.restore(stored, polling('proxy_test_run/create'));
    expect(await failureOf(api.run(HOUR).post('proxy_test_run/create', {}))).toMatchObject({
      kind: 'rate_limited',
    });
    expect(api.requests).toEqual([]);
    api.clock.advance(6 * HOUR);
    await advanceUntilSettled(api.clock, api.run(HOUR).post('proxy_test_run/create', {}));
    expect(api.endpoints.summary.endpoints).toMatchObject([{ refusedSince: null, pausedUntil: null }]);
    await using other = await setUp(() => OK);
    other.endpoints.restore(stored, polling('analytics/graph'));
    expect(other.endpoints.summary.endpoints).toEqual([]);
  });

  it('shortens a pause of weeks that a wrong clock has left', async () => {
    await using api = await setUp(() => OK);
    const [paused] = stored.endpoints;
    const ahead = {
      ...paused,
      endpoint: 'a/b',
      pausedUntil: NOW + 900 * HOUR,
      lastSuccessAt: NOW + 900 * HOUR,
    };
    api.endpoints.restore(
      { ...stored, endpoints: [{ ...stored.endpoints[0], ...ahead }] } as never,
      polling('a/b'),
    );
    expect(api.endpoints.pauseLeftMs('a/b')).toBe(24 * HOUR);
    expect(api.endpoints.summary.endpoints).toMatchObject([{ lastSuccessAt: NOW }]);
  });
});
