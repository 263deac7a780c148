// Tests that proxywatch reads no more of an answer than its endpoint can need, and reads the longest answers that it can.

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ProviderClient } from '../../src/provider/client.ts';
import { Endpoints } from '../../src/provider/endpoints.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { readGraph } from '../../src/provider/resources/analytics.ts';
import { readProxyUsers } from '../../src/provider/resources/proxy-users.ts';
import { readService } from '../../src/provider/resources/services.ts';
import { uuid } from '../../src/simulator/random.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  advanceUntilSettled,
  connect,
  type Handler,
  type ReceivedRequest,
  startFakeProvider,
} from '../support/fake-provider.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');
/** Far more than any limit. The sockets between the server and the client hold some of it. */
const ENDLESS = 1e9;
const IN_SOCKETS = 8e6;

const setUp = async (handler: Handler) => {
  const provider = await startFakeProvider(handler);
  const clock = new FakeClock(NOW);
  const endpoints = new Endpoints({ clock });
  const client = connect(provider, { clock, endpoints, random: () => 0 });
  const dispose = async () => {
    await client[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  return { provider, client, clock, endpoints, [Symbol.asyncDispose]: dispose };
};

/** Writes a body without end, and counts what it wrote until the client ended the connection. */
class EndlessBody {
  written = 0;
  readonly closed: Promise<void>;
  readonly #onClose: () => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.closed, this.#onClose] = [promise, resolve];
  }

  send(status: number, response: ServerResponse): undefined {
    response.writeHead(status, { 'content-type': 'application/json' });
    const push = (): void => {
      while (!response.destroyed && this.written < ENDLESS) {
        this.written += MEBIBYTE.length;
        if (!response.write(MEBIBYTE)) return;
      }
    };
    response.on('drain', push);
    response.on('close', this.#onClose);
    push();
  }
}

const failureOf = async (promise: Promise<unknown>): Promise<ProviderError> => {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error;
};

const graph = (client: ProviderClient, minutes: number) =>
  readGraph(client, {
    ...{ filter: {}, interval: 'minute', concurrency: true, timeZone: 'UTC' },
    ...{ from: NOW, to: NOW + minutes * MINUTE },
    parameters: { productType: 'product_type', concurrency: 'concurrency' },
  });

describe('an endless answer', () => {
  it.each([
    ['checkout/quote', 1, (client: ProviderClient) => client.get('checkout/quote')],
    ['checkout/catalog', 4, (client: ProviderClient) => client.get('checkout/catalog')],
    ['analytics/graph', 3, (client: ProviderClient) => graph(client, 1_440)],
    ['service/retrieve', 16, (client: ProviderClient) => client.get('service/retrieve', { path: 'a' })],
  ])('of %s is read for %d MB, and shows that the provider answers', async (endpoint, megabytes, request) => {
    const body = new EndlessBody();
    await using api = await setUp((_, response) => body.send(200, response));
    const error = await failureOf(request(api.client));
    await body.closed;
    expect(error.kind).toBe('bad_response');
    expect(error.message).toBe(
      `${endpoint}: the answer is longer than ${megabytes} MB, the most that proxywatch reads of such an answer`,
    );
    expect(body.written).toBeLessThan(megabytes * 1e6 + IN_SOCKETS);
    expect(api.endpoints.summary.unreached).toBeNull();
  });

  it('is not read at all if its header says how long it is', async () => {
    let written = 0;
    await using api = await setUp((_, response) => {
      response.writeHead(200, { 'content-length': ENDLESS });
      response.flushHeaders();
      response.on('drain', () => {
        written += 1;
      });
      return undefined;
    });
    const error = await failureOf(api.client.get('asn/search'));
    expect(error).toMatchObject({ kind: 'bad_response', isTooLong: true });
    expect(written).toBe(0);
  });

  it.each([
    [500, 'server'],
    [429, 'rate_limited'],
    [404, 'not_found'],
  ])('with status %d keeps its meaning, and only its beginning is read', async (status, kind) => {
    const bodies: EndlessBody[] = [];
    await using api = await setUp((_, response) => {
      const body = new EndlessBody();
      bodies.push(body);
      return body.send(status, response);
    });
    const error = await failureOf(api.client.get('asn/search', { isOptional: true }));
    expect(error).toMatchObject({ kind, status });
    await Promise.all(bodies.map(({ closed }) => closed));
    expect(Math.max(...bodies.map(({ written }) => written))).toBeLessThan(IN_SOCKETS);
  });
});

it('a compressed answer is not read, because proxywatch asks for none', async () => {
  const bomb = gzipSync(Buffer.alloc(20e6, ' '));
  await using api = await setUp((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(bomb);
    return undefined;
  });
  const error = await failureOf(api.client.get('asn/search'));
  expect(error).toMatchObject({ kind: 'bad_response', isTooLong: false });
  expect(error.message).toBe(
    'asn/search: the answer is compressed, although proxywatch did not ask for a compressed answer',
  );
  expect(api.provider.requests[0]?.headers).not.toHaveProperty('accept-encoding');
});

it.each([
  ['has more than 64 nested levels', `{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['has more than 64 nested levels', `${'{"data":'.repeat(65)}1${'}'.repeat(65)}`],
  ['has more than 62500 values', `{"data":[${'{},'.repeat(62_500)}{}]}`],
])('an answer that %s is not parsed', async (problem, body) => {
  await using api = await setUp(() => ({ body }));
  const error = await failureOf(api.client.get('asn/search'));
  expect(error).toMatchObject({ kind: 'bad_response', message: `asn/search: the answer ${problem}` });
});

it('an answer with brackets and commas in its texts is parsed', async () => {
  const data = { text: '[{,'.repeat(100_000), escaped: '\\"[[[\\'.repeat(20), last: '\\' };
  await using api = await setUp(() => ({ body: { data } }));
  expect(await api.client.get('checkout/catalog')).toEqual({ data });
});

/** Answers a page of users that are restricted to so many proxies each. */
const users =
  (total: number, proxies: number) =>
  ({ query }: ReceivedRequest): { body: unknown } => {
    const [page, perPage] = [Number(query.page), Number(query.per_page)];
    const first = (page - 1) * perPage;
    const ids = Array.from({ length: proxies }, (_, index) => uuid(1, `proxy ${index}`));
    const data = Array.from({ length: Math.min(perPage, total - first) }, (_, index) => ({
      proxy_user_id: `user-${first + index}`,
      restricted_proxy_ids: ids,
    }));
    return { body: { data, total_count: total } };
  };

const listUsers = async (client: ProviderClient): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { items } of readProxyUsers(client, {})) ids.push(...items.map(({ id }) => id));
  return ids;
};

describe('the longest answers that an account can need', () => {
  it('are read: a page of users with 2,000 proxies each', async () => {
    await using api = await setUp(users(100, 2_000));
    expect(await listUsers(api.client)).toHaveLength(100);
    expect(api.provider.requests).toHaveLength(1);
  });

  it('are read: a service with 10,000 proxies', async () => {
    const proxies = Array.from({ length: 10_000 }, (_, index) => ({
      ...{ proxy_id: uuid(1, `proxy ${index}`), padding: 'x'.repeat(1_450) },
    }));
    await using api = await setUp(() => ({ body: { data: { service_id: 'a', proxies } } }));
    const query = { withProxies: true, timeZone: 'UTC' };
    expect((await readService(api.client, 'a', query)).proxies).toHaveLength(10_000);
  });

  it('are read in pieces: pages of users with 5,000 proxies each', async () => {
    await using api = await setUp(users(115, 5_000));
    const ids = await advanceUntilSettled(api.clock, listUsers(api.client));
    expect(ids).toEqual(Array.from({ length: 115 }, (_, index) => `user-${index}`));
    const sizes = api.provider.requests.map(({ query }) => `${query.per_page} ${query.page}`);
    // One whole page is tried. The second page ends after the piece that has no items.
    expect(sizes).toEqual(['100 1', ...Array.from({ length: 13 }, (_, index) => `10 ${index + 1}`)]);
  });
});
