// Tests GET /metrics over real HTTP: selection, headers, and clients that disconnect.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BODY, startServer } from './support.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');

const endless = (): Readable =>
  new Readable({
    read() {
      this.push(CHUNK);
    },
  });

const startWithBody = (body: Readable, contentLength = BODY.length) =>
  startServer({
    scrape: async () => ({ contentType: 'text/plain', contentEncoding: 'gzip', contentLength, body }),
  });

describe('GET /metrics', () => {
  it('passes on the headers about accepted formats', async () => {
    await using server = await startServer();
    await fetch(`${server.url}/metrics`, {
      headers: { accept: 'text/plain;version=0.0.4', 'accept-encoding': 'identity' },
    });
    expect(server.scrapes).toEqual([
      { accept: 'text/plain;version=0.0.4', acceptEncoding: 'identity', accounts: [], collectors: [] },
    ]);
  });

  it('sends the prepared body, with the headers of the answer', async () => {
    const body = gzipSync(BODY);
    await using server = await startServer({
      scrape: async () => ({
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
        contentEncoding: 'gzip',
        contentLength: body.length,
        body: Readable.from([body.subarray(0, 5), body.subarray(5)]),
      }),
    });
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-encoding': 'gzip',
      'content-length': String(body.length),
      'cache-control': 'no-store',
      vary: 'accept, accept-encoding',
    });
    expect(await response.text()).toBe(BODY);
  });

  it('answers HEAD with only the headers, and destroys the body', async () => {
    const body = Readable.from([Buffer.from(BODY)]);
    await using server = await startWithBody(body);
    const response = await fetch(`${server.url}/metrics`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(BODY.length));
    expect(await response.text()).toBe('');
    expect(body.destroyed).toBe(true);
  });

  it('selects by account and collector, which may be repeated', async () => {
    await using server = await startServer();
    await fetch(`${server.url}/metrics?account=main&collector=traffic&account=shop`);
    expect(server.scrapes).toMatchObject([{ accounts: ['main', 'shop'], collectors: ['traffic'] }]);
  });

  it.each([
    ['account=main&account=other', 'account: "other" is not known; expected one of main, shop'],
    ['collector=', 'collector: "" is not known; expected one of traffic, proxy_users'],
  ])('rejects ?%s', async (query, error) => {
    await using server = await startServer();
    const response = await fetch(`${server.url}/metrics?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error });
    expect(server.scrapes).toEqual([]);
  });

  it('destroys the body if the client disconnects, and keeps serving', async () => {
    const body = endless();
    await using server = await startWithBody(body, 1e9);
    const request = get(`${server.url}/metrics`);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    const closed = once(body, 'close');
    response.destroy();
    await closed;
    expect((await fetch(`${server.url}/-/healthy`)).status).toBe(200);
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('closes the connection and logs an error if the body fails midway', async () => {
    const body = endless();
    await using server = await startWithBody(body, 1e9);
    const request = get(`${server.url}/metrics`);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    const broken = once(response.resume(), 'error');
    body.destroy(new Error('no more'));
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(server.lines).toMatchObject([
      { level: 'error', message: 'the body of a scrape broke off', error: 'no more' },
    ]);
  });

  it('answers 500 if the body fails before it began', async () => {
    const body = new Readable({ read: () => body.destroy(new Error('no beginning')) });
    await using server = await startWithBody(body, 1e9);
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'internal error; read the log of proxywatch' });
  });
});
