// Tests the limits on connections and requests over real sockets.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { MAX_CONNECTIONS, MAX_SILENT_CONNECTIONS, STORE_READS } from '../../src/http/limits.ts';
import { HEALTHY, HOST, open, openMany, readRest, statusesIn } from './raw-client.ts';
import { startServer } from './support.ts';

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

  it('keeps connections that were used often, and idle ones while most connections wait for answers', async () => {
    const never = new Promise<never>(() => {});
    await using server = await startServer({ scrape: () => never });
    const request = async (socket: Socket) => {
      socket.write(HEALTHY);
      await once(socket, 'data');
      return socket;
    };
    const often = await request(await open(server));
    await request(often);
    const sockets: Socket[] = [];
    while (sockets.length < 2 * MAX_CONNECTIONS) sockets.push(await request(await open(server)));
    await request(often);
    while (sockets.length < 4 * MAX_CONNECTIONS) {
      const socket = await open(server);
      socket.write(`GET /metrics HTTP/1.1\r\n${HOST}\r\n`);
      sockets.push(socket);
    }
    await request(often);
    for (const socket of [often, ...sockets]) socket.destroy();
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
  it('answers 503 at once if too many requests wait for the store, but not because of clients that have gone', async () => {
    const held = Promise.withResolvers<never>();
    held.promise.catch(() => {});
    await using server = await startServer({ status: () => held.promise });
    const request = async () => {
      const socket = await open(server);
      socket.write(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      return socket;
    };
    const sockets: Socket[] = [];
    while (sockets.length < STORE_READS.running + STORE_READS.waiting) sockets.push(await request());
    await expect.poll(() => server.clock.sleepers).toBe(STORE_READS.waiting);
    const refused = await readRest(await request());
    expect([statusesIn(refused), refused.includes('retry-after: 5')]).toEqual([['503'], true]);
    for (const socket of sockets.slice(-2)) socket.resetAndDestroy();
    await fetch(`${server.url}/-/healthy`);
    sockets.push(await request());
    // One place is free again. The log waits for the end of the flood.
    await expect.poll(() => server.clock.sleepers).toBe(STORE_READS.waiting - 1 + 1);
    held.reject(new Error('the end of the test'));
    for (const socket of sockets) socket.destroy();
  });
});
