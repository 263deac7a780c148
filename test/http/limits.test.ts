// Tests the limits on connections and requests over real sockets.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { MAX_CONNECTIONS, MAX_SILENT_CONNECTIONS, STORE_READS } from '../../src/http/limits.ts';
import { startServer, type TestServer } from './support.ts';

const HEALTHY = 'GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n';

const open = async ({ address: { host, port } }: TestServer): Promise<Socket> => {
  const socket = connect(port, host);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

const openMany = (server: TestServer, count: number): Promise<Socket[]> =>
  Promise.all(Array.from({ length: count }, () => open(server)));

const exchange = async (server: TestServer, request: string): Promise<string> => {
  const socket = await open(server);
  socket.write(request);
  return text(socket);
};

describe('the server', () => {
  it('closes the oldest silent connection for a new one, but none that sent a request', async () => {
    await using server = await startServer();
    const served = await open(server);
    served.write(HEALTHY);
    await once(served, 'data');
    const oldest = await open(server);
    const closed = once(oldest.resume(), 'close');
    const others = await openMany(server, MAX_SILENT_CONNECTIONS);
    await closed;
    served.write(HEALTHY);
    await once(served, 'data');
    for (const socket of [served, ...others]) socket.destroy();
    expect(server.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('closes the connection that was idle for longest for a new one', async () => {
    await using server = await startServer();
    const sockets: Socket[] = [];
    for (let index = 0; index < MAX_CONNECTIONS; index += 1) {
      const socket = await open(server);
      socket.write(HEALTHY);
      await once(socket, 'data');
      sockets.push(socket);
    }
    const closed = once(sockets[0]?.resume() as Socket, 'close');
    sockets.push(await open(server));
    await closed;
    for (const socket of sockets) socket.destroy();
  });

  it('answers 503 with Retry-After if too many requests read the store', async () => {
    const never = new Promise<never>(() => {});
    await using server = await startServer({ status: () => never });
    const stop = new AbortController();
    const { signal } = stop;
    const busy = Array.from({ length: STORE_READS.running }, () => fetch(`${server.url}/`, { signal }));
    const all = Promise.allSettled(busy);
    const waiting = fetch(`${server.url}/`);
    await expect.poll(() => server.clock.sleepers).toBe(1);
    server.clock.advance(STORE_READS.waitMs);
    const response = await waiting;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    stop.abort();
    await all;
  });
});

describe('a request that a proxy may understand differently', () => {
  it.each([
    ['both lengths', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd'],
    ['a list of lengths', 'Content-Length: 4, 5\r\n\r\nabcd'],
    ['a signed length', 'Content-Length: +4\r\n\r\nabcd'],
    ['an unknown encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['chunked before another encoding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['lines without a carriage return', 'A: b\nContent-Length: 0\r\n\r\n'],
  ])('is rejected with %s', async (_, rest) => {
    await using server = await startServer();
    const answers = await exchange(server, `GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n${rest}${HEALTHY}`);
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400']);
  });

  it('does not take the body of a GET request for another request', async () => {
    await using server = await startServer();
    const body = `GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const head = `GET /-/healthy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    const answers = await exchange(server, head + body);
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200']);
    expect(server.scrapes).toEqual([]);
  });
});
