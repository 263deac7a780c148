// Starts a provider on loopback that a test scripts, and advances a fake clock until a promise is settled.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createProviderClient, type ProviderClient } from '../../src/provider/client.ts';
import type { ProviderClientOptions } from '../../src/provider/client-options.ts';
import type { FakeClock } from './fake-clock.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

/** Answers a request with a reply, or writes the response itself and returns undefined. */
export type Handler = (request: ReceivedRequest, response: ServerResponse) => Reply | undefined;

export interface FakeProvider extends AsyncDisposable {
  /** Includes a version segment, as the real provider's URL does. */
  readonly baseUrl: string;
  readonly requests: ReceivedRequest[];
}

export const startFakeProvider = async (handler: Handler): Promise<FakeProvider> => {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://provider.example');
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      body: await text(incoming),
    };
    requests.push(request);
    const reply = handler(request, response);
    if (reply) write(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/1.0`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Returns a client of that provider with a pace so high that it never delays a test. */
export const connect = (
  { baseUrl }: Pick<FakeProvider, 'baseUrl'>,
  options: Partial<ProviderClientOptions> = {},
): ProviderClient =>
  createProviderClient({
    baseUrl,
    keys: { publicKey: new Secret('public-key'), privateKey: new Secret('private-key') },
    requestsPerSecond: 10_000,
    requestTimeoutMs: 10_000,
    clock: systemClock,
    observer: { onResponse: () => {}, onServerDate: () => {} },
    ...options,
  });

/** Advances the clock in small steps while there are sleepers, until the promise is settled. */
export const advanceUntilSettled = async <T>(
  clock: FakeClock,
  promise: Promise<T>,
  stepMs = 50,
): Promise<T> => {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  promise.then(done, done);
  while (!isDone) {
    if (clock.sleepers > 0) clock.advance(stepMs);
    await nextTurn();
  }
  return promise;
};

const write = (response: ServerResponse, { status = 200, headers = {}, body = {} }: Reply): void => {
  const isText = typeof body === 'string';
  const contentType = isText ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': contentType, ...headers });
  response.end(isText ? body : JSON.stringify(body));
};
