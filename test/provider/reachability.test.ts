// Tests which answers count as reaching the provider, and which as a rejection of an endpoint or of the keys.

import { describe, expect, it } from 'vitest';
import { Endpoints } from '../../src/provider/endpoints.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { advanceUntilSettled, connect, type Handler, startFakeProvider } from '../support/fake-provider.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

const setUp = async (handler: Handler, requestTimeoutMs = 10_000) => {
  const clock = new FakeClock(NOW);
  const provider = await startFakeProvider(handler);
  const endpoints = new Endpoints({ clock, random: () => 0 });
  const client = connect(provider, { clock, endpoints, requestTimeoutMs });
  /** Sends one request, by default in a run of its own, and ignores its result. */
  const ask = (endpoint = 'asn/search', run = client.forRun(clock.monotonic())) =>
    advanceUntilSettled(
      clock,
      run.post(endpoint, {}).catch(() => {}),
    );
  const dispose = async () => {
    await client[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  return { clock, provider, endpoints, client, ask, [Symbol.asyncDispose]: dispose };
};

describe('the provider', () => {
  it.each([200, 204, 302, 400, 401, 403, 404, 422, 429, 499])(
    'is reached by an answer of %i',
    async (status) => {
      await using api = await setUp(() => ({ status }));
      api.endpoints.attempted(false);
      await api.ask();
      expect(api.endpoints.summary.unreached).toBeNull();
    },
  );

  it.each<[string, Handler, number?]>([
    ['500', () => ({ status: 500 })],
    ['503 of an intermediary', () => ({ status: 503, body: '<html>' })],
    ['no answer in time', () => undefined, 20],
    ['a lost connection', (_, response) => void response.destroy()],
    ['an answer that is not HTTP', (_, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ])('is not reached by %s', async (_, handler, timeoutMs) => {
    await using api = await setUp(handler, timeoutMs);
    await api.ask();
    expect(api.endpoints.summary.unreached).toEqual({ since: NOW, newestAt: NOW });
  });

  it('is not reached if no server listens; time without attempts does not count', async () => {
    await using api = await setUp(() => ({}));
    await api.provider[Symbol.asyncDispose]();
    await api.ask();
    api.clock.advance(30 * MINUTE);
    expect(api.endpoints.summary.unreached).toEqual({ since: NOW, newestAt: NOW });
    await api.ask();
    expect(api.endpoints.summary.unreached).toEqual({ since: NOW, newestAt: NOW + 30 * MINUTE });
  });
});

describe('an endpoint', () => {
  it('is rejected since the first answer of 401, 403 or 499 after its last success', async () => {
    let status = 200;
    await using api = await setUp(() => ({ status }));
    const rejectedSince = () => api.endpoints.summary.endpoints[0]?.rejectedSince;
    await api.ask();
    for (status of [403, 401, 499]) {
      api.clock.advance(MINUTE);
      await api.ask();
      expect(rejectedSince()).toBe(NOW + MINUTE);
    }
    status = 200;
    await api.ask();
    expect(rejectedSince()).toBeNull();
  });

  it('is not rejected if it rejects one part of a run and answers others', async () => {
    await using api = await setUp(({ path }) => ({ status: path.endsWith('/2') ? 403 : 200 }));
    const run = api.client.forRun(MINUTE);
    for (const path of [1, 2, 2, 2])
      await advanceUntilSettled(
        api.clock,
        run.get('service/retrieve', { path }).catch(() => {}),
      );
    expect(api.endpoints.summary.endpoints).toMatchObject([{ lastSuccessAt: NOW, rejectedSince: null }]);
  });
});

describe('keys', () => {
  /** Sends a request a minute, which get these answers. */
  const ask = async (answers: readonly (readonly [endpoint: string, status: number])[]) => {
    let status = 200;
    const api = await setUp(() => ({ status }));
    for (const [endpoint, answer] of answers) {
      status = answer;
      api.clock.advance(MINUTE);
      await api.ask(endpoint);
    }
    return api;
  };

  it.each([
    [
      'one 401',
      [
        ['a/b', 200],
        ['a/b', 401],
      ],
      NOW + 2 * MINUTE,
    ],
    [
      '403 of two endpoints',
      [
        ['a/b', 200],
        ['a/b', 403],
        ['c/d', 499],
      ],
      NOW + 3 * MINUTE,
    ],
    [
      '403 of one endpoint',
      [
        ['a/b', 200],
        ['a/b', 403],
        ['a/b', 403],
      ],
      null,
    ],
    [
      '401 before another one succeeds',
      [
        ['a/b', 401],
        ['c/d', 200],
        ['a/b', 401],
      ],
      null,
    ],
    [
      '403 of two endpoints, one of them long before',
      [
        ['a/b', 403],
        ['c/d', 200],
        ['e/f', 403],
      ],
      null,
    ],
  ] as const)('that get %s are rejected, or not', async (_, answers, since) => {
    await using api = await ask(answers);
    api.endpoints.keep({ all: EVERY, required: EVERY });
    expect(api.endpoints.summary.keysRejectedSince).toBe(since);
  });

  it('that a later page rejects, after the first one, are not rejected until the first page is too', async () => {
    let rejected: (page: unknown) => boolean = (page) => page === '2';
    await using api = await setUp(({ path }) => ({ status: rejected(path.slice(-1)) ? 401 : 200 }));
    api.endpoints.keep({ all: EVERY, required: EVERY });
    const run = () => api.client.forRun(api.clock.monotonic());
    const get = (page: number) =>
      advanceUntilSettled(
        api.clock,
        run()
          .get('service/retrieve', { path: page })
          .catch(() => {}),
      );
    for (let poll = 0; poll < 3; poll += 1) {
      api.clock.advance(10 * MINUTE);
      for (const page of [1, 2]) await get(page);
      api.clock.advance(MINUTE);
      expect(api.endpoints.summary.keysRejectedSince).toBeNull();
    }
    rejected = () => true;
    api.clock.advance(10 * MINUTE);
    await get(1);
    expect(api.endpoints.summary.keysRejectedSince).not.toBeNull();
  });

  it('that are accepted again clear the 401 of all endpoints, but not a 403', async () => {
    await using api = await ask([
      ['a/b', 401],
      ['c/d', 401],
      ['proxy/search', 403],
      ['asn/search', 200],
    ]);
    const rejected = api.endpoints.summary.endpoints.filter(({ rejectedSince }) => rejectedSince !== null);
    expect(rejected.map(({ endpoint }) => endpoint)).toEqual(['proxy/search']);
  });
});

const EVERY = new Set(['a/b', 'c/d', 'e/f', 'g/h']);
