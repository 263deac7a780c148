// Tests the client against a real server: its requests, how it handles answers, and when it retries.

import { inspect } from 'node:util';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HIDDEN_MESSAGE } from '../../src/lib/quoted-text.ts';
import { Secret } from '../../src/lib/secret.ts';
import type { ProviderClientOptions, ProviderObserver } from '../../src/provider/client-options.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  advanceUntilSettled,
  connect,
  type Handler,
  type Reply,
  startFakeProvider,
} from '../support/fake-provider.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

const setUp = async (handler: Handler, options: Partial<ProviderClientOptions> = {}) => {
  const provider = await startFakeProvider(handler);
  const clock = new FakeClock(NOW);
  const codes: string[] = [];
  const offsets: number[] = [];
  const observer: ProviderObserver = {
    onResponse: ({ endpoint, code }) => codes.push(`${endpoint} ${code}`),
    onServerDate: (offsetMs) => offsets.push(offsetMs),
  };
  const client = connect(provider, { clock, observer, random: () => 0.5, ...options });
  const dispose = async () => {
    await client[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  return { provider, clock, codes, offsets, client, [Symbol.asyncDispose]: dispose };
};

/** Returns one reply after the other, and repeats the last one. */
const inTurn = (...replies: Reply[]): Handler => {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)];
};

const failureOf = async (promise: Promise<unknown>): Promise<ProviderError> => {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error;
};

describe('a request', () => {
  it('carries keys, parameters and an encoded id below the base address', async () => {
    await using api = await setUp(() => ({ body: { data: 1 } }));
    const query = { page: 2, proxies: true, name: 'a b&c', left: undefined };
    const answer = await api.client.get('service/retrieve', { path: 'API/1?x', query });
    expect(answer).toEqual({ data: 1 });
    expect(api.provider.requests[0]).toMatchObject({
      method: 'GET',
      path: '/1.0/public/user/service/retrieve/API%2F1%3Fx',
      query: { page: '2', proxies: 'true', name: 'a b&c' },
      headers: {
        accept: 'application/json',
        'user-agent': 'proxywatch',
        'x-api-public-key': 'public-key',
        'x-api-private-key': 'private-key',
      },
    });
    expect(api.codes).toEqual(['service/retrieve 200']);
  });

  it('sends a body as JSON with its secrets revealed', async () => {
    await using api = await setUp(() => ({}));
    const proxies = [{ proxy_string: new Secret('192.0.2.1:80:bob:hunter2') }];
    await api.client.post('proxy_test_run/create', {
      proxies,
      urls: [new Secret('https://example.com/?t=1'), 'b'],
    });
    const [request] = api.provider.requests;
    expect(request?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      proxies: [{ proxy_string: '192.0.2.1:80:bob:hunter2' }],
      urls: ['https://example.com/?t=1', 'b'],
    });
  });

  it('reports the difference between the clocks', async () => {
    await using api = await setUp(() => ({ headers: { date: 'Sun, 01 Mar 2026 12:00:05 GMT' } }));
    await api.client.get('checkout/catalog');
    expect(api.offsets).toEqual([5_000]);
  });

  it('uses the caller’s dispatcher and does not close it', async () => {
    const dispatcher = new Agent();
    await using api = await setUp(() => ({ body: { data: 1 } }), { dispatcher });
    await api.client.get('checkout/catalog');
    await api.client[Symbol.asyncDispose]();
    expect(dispatcher.destroyed).toBe(false);
    await dispatcher.destroy();
  });

  it('is not sent with a key that no header can carry', async () => {
    const keys = { publicKey: new Secret('canary\nkey'), privateKey: new Secret('x') };
    await using api = await setUp(() => ({}), { keys });
    const error = await failureOf(api.client.get('checkout/catalog'));
    expect(error.kind).toBe('auth');
    expect(inspect(error)).not.toContain('canary');
    expect(api.provider.requests).toEqual([]);
  });
});

describe('an error', () => {
  it.each([
    [401, 'auth'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [422, 'rejected'],
    [499, 'forbidden'],
  ])('for status %i is %s at the first attempt, with the provider’s message', async (status, kind) => {
    const body = { error: 'Some', message: 'Not so.', api_request_id: '0a6e-1' };
    await using api = await setUp(() => ({ status, body }));
    const error = await failureOf(api.client.get('analytics/graph'));
    expect(error).toMatchObject({ kind, status, endpoint: 'analytics/graph', requestId: '0a6e-1' });
    expect(error.message).toBe(`analytics/graph: answered ${status}: Not so. (request 0a6e-1)`);
    expect(api.codes).toEqual([`analytics/graph ${status}`]);
  });

  it.each([200, 400, 401, 403, 422, 499])(
    'is forbidden for status %i if the account asks for a second factor, and quotes none of it',
    async (status) => {
      const body = {
        error: 'Forbidden',
        message: 'Enter the code that was sent to canary@example.com.',
        two_factor_authentication_public_key: 'canary',
        two_factor_authentication_service: 'email',
        two_factor_authentication_target: 'canary@example.com',
      };
      await using api = await setUp(() => ({ status, body }));
      const error = await failureOf(api.client.get('analytics/graph'));
      expect(error).toMatchObject({ kind: 'forbidden', status, needsSecondFactor: true });
      expect(error.message).toBe(`analytics/graph: answered ${status}: the account asks for a second factor`);
      expect(inspect(error, { depth: 9 })).not.toContain('canary');
    },
  );

  it('names the content type if the body has no message', async () => {
    await using api = await setUp(() => ({ status: 418, body: '<h1>tea</h1>' }));
    const error = await failureOf(api.client.get('asn/search'));
    expect(error.message).toBe('asn/search: answered 418: no message (text/html)');
  });

  it('is bad_response for a redirect, which is not followed because it would get the keys', async () => {
    await using api = await setUp(() => ({ status: 302, headers: { location: '/elsewhere' } }));
    expect(await failureOf(api.client.get('asn/search'))).toMatchObject({
      kind: 'bad_response',
      status: 302,
    });
    expect(api.provider.requests).toHaveLength(1);
  });

  it.each([
    ['HTML', '<html>canary</html>'],
    ['half an object', '{"data": [{"proxy_user_password": "canary"'],
    ['nothing', ''],
  ])('is bad_response for %s instead of JSON, and quotes none of it', async (_, body) => {
    await using api = await setUp(() => ({ body }));
    const error = await failureOf(api.client.get('asn/search'));
    expect(error).toMatchObject({ kind: 'bad_response', status: 200 });
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
    expect(api.codes).toEqual(['asn/search bad_response']);
  });

  it('is bad_response for JSON of another shape, and is counted as such', async () => {
    await using api = await setUp(() => ({ body: { data: 'canary' } }));
    const schema = z.object({ data: z.array(z.string()), total_count: z.int() });
    const error = await failureOf(api.client.get('asn/search', { schema }));
    expect(error.kind).toBe('bad_response');
    expect(error.message).toMatch(/^asn\/search: unexpected answer: data: .*; total_count: /);
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
    expect(api.codes).toEqual(['asn/search bad_response']);
  });

  it('is bad_response for an answer that is not HTTP, and quotes none of it', async () => {
    await using api = await setUp((_, response) => {
      response.socket?.end('canary proxy_user_password\r\n\r\n');
      return undefined;
    });
    const error = await failureOf(api.client.get('asn/search'));
    expect(error.kind).toBe('bad_response');
    expect(error.message).toMatch(/^asn\/search: the answer is not HTTP: Response does not match/);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary');
  });

  it('is the reason of the abort if its run ends, also if the reason is a rate limit', async () => {
    const run = new AbortController();
    const reason = new ProviderError('rate_limited', 'traffic', 'the run took longer than 600 s');
    await using api = await setUp(() => {
      run.abort(reason);
      return undefined;
    });
    const client = api.client.forRun(api.clock.monotonic());
    await expect(client.get('asn/search', { signal: run.signal })).rejects.toBe(reason);
    expect(api.provider.requests).toHaveLength(1);
  });

  it('is network if the answer is cut off, which is retried', async () => {
    await using api = await setUp((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"data": [', () => response.destroy());
      return undefined;
    });
    const error = await failureOf(advanceUntilSettled(api.clock, api.client.get('asn/search')));
    expect(error.kind).toBe('network');
    expect(error.cause).toBeInstanceOf(Error);
    expect(api.codes).toEqual(Array(3).fill('asn/search network'));
  });

  it('is network if no server listens', async () => {
    const stopped = await startFakeProvider(() => ({}));
    await stopped[Symbol.asyncDispose]();
    const clock = new FakeClock(NOW);
    await using client = connect(stopped, { clock });
    const error = await failureOf(advanceUntilSettled(clock, client.get('asn/search')));
    expect(error.kind).toBe('network');
    expect(error.message).toMatch(/^asn\/search: connection failed: connect ECONNREFUSED/);
  });

  it('is timeout if the answer does not come, or only in part', async () => {
    await using api = await setUp(({ path }, response) => {
      if (path.endsWith('half')) response.write('{');
      return undefined;
    });
    for (const path of ['none', 'half']) {
      const request = api.client.get('asn/search', { path, timeoutMs: 20 });
      const error = await failureOf(advanceUntilSettled(api.clock, request));
      expect(error.kind).toBe('timeout');
      expect(error.message).toBe('asn/search: no complete answer within 0.02 s');
    }
    expect(api.codes).toEqual(Array(6).fill('asn/search timeout'));
  });
});

describe('retrying', () => {
  const ok = { body: { data: 1 } };
  const down = { status: 503, body: { message: 'Down.' } };

  it('repeats a GET after two server errors, with growing waits', async () => {
    await using api = await setUp(inTurn(down, down, ok));
    await advanceUntilSettled(api.clock, api.client.get('asn/search'), 10);
    expect(api.codes).toEqual(['asn/search 503', 'asn/search 503', 'asn/search 200']);
    // Half of 1 s and half of 2 s, by the jitter of these tests.
    expect(api.clock.monotonic()).toBe(1_500);
  });

  it('ends after three attempts', async () => {
    await using api = await setUp(() => down);
    const error = await failureOf(advanceUntilSettled(api.clock, api.client.get('asn/search')));
    expect(error).toMatchObject({ kind: 'server', status: 503 });
    expect(api.provider.requests).toHaveLength(3);
  });

  it('does not repeat an optional request, because others wait for it', async () => {
    await using api = await setUp(() => down);
    await failureOf(api.client.get('proxy_user/search', { isOptional: true }));
    expect(api.provider.requests).toHaveLength(1);
  });

  it('does not repeat a POST that may have run', async () => {
    await using api = await setUp(() => down);
    await failureOf(api.client.post('proxy_test_run/create', {}));
    expect(api.provider.requests).toHaveLength(1);
  });

  it('stops if the caller aborts, with the caller’s reason', async () => {
    await using api = await setUp(() => down);
    const stop = new AbortController();
    const request = api.client.get('asn/search', { signal: stop.signal });
    await expect.poll(() => api.clock.sleepers).toBe(1);
    stop.abort(new Error('shutting down'));
    await expect(request).rejects.toThrow('shutting down');
    expect(api.provider.requests).toHaveLength(1);
  });

  it('ends a request in flight if the caller aborts, and counts nothing', async () => {
    const stop = new AbortController();
    await using api = await setUp(() => {
      stop.abort(new Error('shutting down'));
      return undefined;
    });
    await expect(api.client.get('asn/search', { signal: stop.signal })).rejects.toThrow('shutting down');
    expect(api.codes).toEqual([]);
  });
});

describe('rejected keys', () => {
  const guarded: Handler = ({ headers }) =>
    headers['x-api-private-key'] === 'new' ? { body: { data: 1 } } : { status: 401 };
  const publicKey = new Secret('public');

  it('are read again from their source, and tried once more', async () => {
    let value = 'old';
    const privateKey = new Secret((isRefresh) => {
      if (isRefresh) value = 'new';
      return value;
    });
    await using api = await setUp(guarded, { keys: { publicKey, privateKey } });
    expect(await advanceUntilSettled(api.clock, api.client.get('asn/search'))).toEqual({ data: 1 });
    expect(api.codes).toEqual(['asn/search 401', 'asn/search 200']);
  });

  it('are not tried again if they are the same', async () => {
    await using api = await setUp(guarded, { keys: { publicKey, privateKey: new Secret('old') } });
    expect(await failureOf(api.client.get('asn/search'))).toMatchObject({ kind: 'auth', status: 401 });
    expect(api.provider.requests).toHaveLength(1);
  });
});

it('never repeats a secret in an error, even if the provider does', async () => {
  const keys = { publicKey: new Secret('canary-public'), privateKey: new Secret('canary-private') };
  const proxy_string = new Secret('192.0.2.1:80:canary-user:canary-password');
  const url = new Secret('https://example.com/?token=canary-token');
  const echo: Handler = ({ headers, body }) => ({
    status: 422,
    body: {
      message: `Bad: canary-password, canary-token, ${headers['x-api-public-key']} ${headers['x-api-private-key']} ${body}`,
      api_request_id: 'canary id with spaces',
    },
  });
  await using api = await setUp(echo, { keys });
  const error = await failureOf(
    api.client.post('proxy_test_run/create', { proxies: [{ proxy_string }], urls: [url] }),
  );
  expect(error.message).toBe(`proxy_test_run/create: answered 422: ${HIDDEN_MESSAGE}`);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary');
});
