// Searches whole error objects, with their causes and hidden fields, for the secrets of the request that failed.

import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { PROVIDER_ERROR_KINDS, ProviderError } from '../../src/provider/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  advanceUntilSettled,
  connect,
  type Handler,
  type ReceivedRequest,
  startFakeProvider,
} from '../support/fake-provider.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const KEYS = { publicKey: new Secret('canary-public'), privateKey: new Secret('canary-private') };
const BODY = {
  proxies: [{ proxy_string: new Secret('192.0.2.1:80:canary-user:canary-password') }],
  urls: [new Secret('https://example.com/?token=canary-token')],
};

/** Everything of the request, as a server that dumps requests for debugging would answer it. */
const dumpOf = ({ headers, body }: ReceivedRequest): string => `${JSON.stringify(headers)} ${body}`;

/** Writes raw bytes in place of an HTTP answer. */
const raw = (response: ServerResponse, text: string): undefined => void response.socket?.end(text);

const FAULTS: readonly [string, Handler, number?][] = [
  ...[302, 400, 401, 403, 404, 422, 429, 499, 500, 503].map((status): [string, Handler] => [
    `an answer of ${status} that dumps the request`,
    (request) => ({ status, body: { message: dumpOf(request), error: dumpOf(request) } }),
  ]),
  ['a page that dumps the request', (request) => ({ body: `<html>${dumpOf(request)}` })],
  [
    'a type that dumps a key',
    ({ headers }) => ({ headers: { 'content-type': `${headers['x-api-private-key']}` }, body: '' }),
  ],
  ['a request id that is a key', () => ({ status: 500, body: { api_request_id: 'canary-private' } })],
  ['bytes that are not HTTP', (request, response) => raw(response, `${dumpOf(request)}\r\n\r\n`)],
  [
    'a header that is not HTTP',
    (request, response) => raw(response, `HTTP/1.1 200 OK\r\n${dumpOf(request)}\r\n\r\n`),
  ],
  [
    'a wrong chunk',
    (request, response) =>
      raw(response, `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${dumpOf(request)}\r\n`),
  ],
  [
    'an answer cut short',
    (request, response) => raw(response, `HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${dumpOf(request)}`),
  ],
  ['a reset', (_, response) => void response.socket?.resetAndDestroy()],
  ['no answer', () => undefined, 200],
];

const ask = async (baseUrl: string, requestTimeoutMs = 10_000): Promise<unknown> => {
  const clock = new FakeClock(NOW);
  await using client = connect({ baseUrl }, { clock, keys: KEYS, requestTimeoutMs });
  const call = client.forRun(clock.monotonic() + 60_000).post('proxy_test_run/create', BODY);
  return await advanceUntilSettled(
    clock,
    call.catch((error: unknown) => error),
  );
};

/** Returns every text that the object holds: what a debugger, a crash report or a logger could show. */
const textOf = (error: unknown): string =>
  inspect(error, {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    getters: true,
    maxArrayLength: null,
    maxStringLength: null,
  }) + JSON.stringify(error);

const kinds = new Set<string>();
afterAll(() => {
  expect(PROVIDER_ERROR_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
});

const expectNoCanary = (error: unknown): void => {
  expect(error).toBeInstanceOf(ProviderError);
  kinds.add((error as ProviderError).kind);
  expect(textOf(error)).not.toMatch(/canary|Y2FuYXJ5/i);
};

describe('the error holds no secret after', () => {
  it.each<[string, Handler, number?]>(FAULTS)('%s', async (_, handler, timeoutMs) => {
    await using provider = await startFakeProvider(handler);
    expectNoCanary(await ask(provider.baseUrl, timeoutMs));
    // The secrets were in the request.
    expect(provider.requests.map(dumpOf).join()).toContain('canary-password');
  });

  it('no connection to a server, and no TLS', async () => {
    await using server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expectNoCanary(await ask(`https://127.0.0.1:${port}/1.0`));
    expectNoCanary(await ask('http://127.0.0.1:9/1.0'));
  });
});
