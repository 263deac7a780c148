// Tests where the server listens, its health endpoints, and how it stops.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { DaemonView, ScrapeAnswer } from '../../src/http/daemon-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { BODY, NOW, noReload, startServer, type TestServer } from './support.ts';

const scrapeOf = (body: Readable, contentLength: number): ScrapeAnswer => ({
  contentType: 'text/plain',
  contentLength,
  body,
});

const stop = (server: TestServer): Promise<void> => Promise.resolve(server[Symbol.asyncDispose]());

describe('listening', () => {
  const listenOn = (host: string, port: number) =>
    startHttpServer({
      listen: { host, port },
      view: {} as DaemonView,
      reload: noReload,
      clock: new FakeClock(NOW),
      log: silentLog,
    });

  it('names the address if it is in use', async () => {
    await using first = await startServer();
    const { port } = first.address;
    await expect(listenOn('127.0.0.1', port)).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another process listens there already`,
    );
  });

  it('names the address if this machine does not have it', async () => {
    await expect(listenOn('2001:db8::1', 9876)).rejects.toThrow(
      'cannot listen on [2001:db8::1]:9876: this machine has no such address',
    );
  });
});

describe('health', () => {
  it('is healthy while the process answers, ready or not', async () => {
    await using server = await startServer({ notReadyReasons: async () => ['the store takes no writes'] });
    const response = await fetch(`${server.url}/-/healthy`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('proxywatch is healthy.\n');
  });

  it('is ready if there is no reason against it', async () => {
    await using server = await startServer();
    const response = await fetch(`${server.url}/-/ready`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('proxywatch is ready.\n');
  });

  it('lists the reasons while it is not ready, one per line', async () => {
    await using server = await startServer({ notReadyReasons: async () => ['no store', 'no first pass'] });
    const response = await fetch(`${server.url}/-/ready`);
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe('proxywatch is not ready:\nno store\nno first pass\n');
  });
});

describe('a stop', () => {
  it('ends idle connections at once', async () => {
    const server = await startServer();
    const silent = connect(server.address.port, server.address.host);
    const waiting = connect(server.address.port, server.address.host);
    await Promise.all([once(silent, 'connect'), once(waiting, 'connect')]);
    waiting.write('GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(waiting, 'data');
    const closed = Promise.all([once(silent, 'close'), once(waiting, 'close')]);
    await stop(server);
    await closed;
    expect(server.clock.monotonic()).toBe(0);
  });

  it('waits for an answer in flight', async () => {
    const requested = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<ScrapeAnswer>();
    const server = await startServer({
      scrape: () => {
        requested.resolve();
        return answer.promise;
      },
    });
    const response = fetch(`${server.url}/metrics`);
    await requested.promise;
    const stopped = stop(server);
    answer.resolve(scrapeOf(Readable.from([Buffer.from(BODY)]), BODY.length));
    expect(await (await response).text()).toBe(BODY);
    await stopped;
    expect(server.clock.sleepers).toBe(0);
  });

  it('aborts answers that would take longer than half a second', async () => {
    const body = new Readable({ read: () => {} });
    body.push('the beginning');
    const server = await startServer({ scrape: async () => scrapeOf(body, 1e9) });
    const request = get(`${server.url}/metrics`);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const broken = once(response.resume(), 'error');
    const stopped = stop(server);
    server.clock.advance(500);
    await stopped;
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    await expect(fetch(`${server.url}/-/healthy`)).rejects.toThrow();
  });

  it('does not wait for a client whose request was not HTTP', async () => {
    const server = await startServer();
    const socket = connect({ ...server.address, allowHalfOpen: true });
    await once(socket, 'connect');
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'data');
    await stop(server);
    socket.destroy();
  });
});
