// A gate on loopback before a provider: requests wait there while it is closed.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { HOUR } from '../../src/lib/time.ts';

export interface Gate extends AsyncDisposable {
  readonly baseUrl: string;
  /** Requests that wait. */
  readonly waiting: number;
  /** Connections that clients hold open. */
  connections(): Promise<number>;
  close(): void;
  open(): void;
}

export const startGate = async (providerUrl: string): Promise<Gate> => {
  let opened = Promise.withResolvers<void>();
  opened.resolve();
  let waiting = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    waiting += 1;
    await opened.promise;
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
    // Who waited may have left.
    pass(request, response).catch(() => response.destroy());
  });
  // Connections are the clients' to close.
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
      opened = Promise.withResolvers();
    },
    open: () => opened.resolve(),
    [Symbol.asyncDispose]: async () => {
      opened.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
