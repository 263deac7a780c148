// Forwards requests to a provider and holds them back while the gate is closed.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { HOUR } from '../../src/lib/time.ts';

export interface RequestGate extends AsyncDisposable {
  readonly baseUrl: string;
  /** Number of requests that wait. */
  readonly waiting: number;
  /** Returns the number of connections that clients keep open. */
  connections(): Promise<number>;
  close(): void;
  open(): void;
}

export const startRequestGate = async (providerUrl: string): Promise<RequestGate> => {
  let opening = Promise.withResolvers<void>();
  opening.resolve();
  let waiting = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    waiting += 1;
    await opening.promise;
    waiting -= 1;
    const { method = 'GET', url, headers } = request;
    const body = await text(request);
    const answer = await fetch(new URL(url ?? '/', providerUrl), {
      method,
      headers: Object.entries(headers).filter(
        ([name]) => !['host', 'connection', 'content-length'].includes(name),
      ) as [string, string][],
      ...(body === '' ? {} : { body }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  };
  const server = createServer((request, response) => {
    // A client that waited may have disconnected.
    forward(request, response).catch(() => response.destroy());
  });
  // Only clients close connections.
  server.keepAliveTimeout = HOUR;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/1.0`,
    get waiting() {
      return waiting;
    },
    connections: promisify(server.getConnections.bind(server)),
    close: () => {
      opening = Promise.withResolvers();
    },
    open: () => opening.resolve(),
    [Symbol.asyncDispose]: async () => {
      opening.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
