// Tests the server's error responses over real HTTP and raw sockets.

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './support.ts';

/** Sends raw bytes and returns everything that the server sends until it closes the connection. */
const exchange = async ({ address: { host, port } }: TestServer, request: string): Promise<string> => {
  const socket = connect(port, host);
  await once(socket, 'connect');
  socket.write(request);
  return text(socket);
};

const SECURITY = {
  'cache-control': 'no-store',
  'content-security-policy': expect.stringContaining("default-src 'none'"),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

describe('the server', () => {
  it.each([
    ['GET', '/', 200],
    ['GET', '/metrics', 200],
    ['HEAD', '/metrics', 200],
    ['GET', '/api/v1/status', 200],
    ['GET', '/api/v1/failures?limit=0', 400],
    ['GET', '/-/healthy', 200],
    ['GET', '/-/ready', 200],
    ['GET', '/metrics?account=unknown', 400],
    ['GET', '/metrics/', 404],
    ['GET', '/favicon.ico', 404],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd', 404],
    ['POST', '/nowhere', 404],
    ['GET', '/%zz', 400],
  ])('answers %s %s with %i and the security headers', async (method, path, status) => {
    await using server = await startServer();
    const response = await fetch(server.url + path, { method });
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(SECURITY);
    if (status >= 400) expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'answers %s with 405 and the allowed methods',
    async (method) => {
      await using server = await startServer();
      for (const path of ['/', '/metrics', '/-/ready', '/api/v1/status?pretty', '/api/v1/proxies']) {
        const response = await fetch(server.url + path, { method });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('GET, HEAD');
        expect(Object.fromEntries(response.headers)).toMatchObject(SECURITY);
      }
    },
  );

  it('rejects the method before it reads the body', async () => {
    await using server = await startServer();
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/metrics`, { method: 'POST', headers, body: 'not JSON' });
    expect(response.status).toBe(405);
  });

  it('answers a request that is not HTTP with 400', async () => {
    await using server = await startServer();
    const answer = await exchange(server, 'what is this?\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('x-content-type-options: nosniff\r\n');
    expect(answer.split('\r\n\r\n')[1]).toBe('{"error":"the request is not valid HTTP"}');
  });

  it('answers too large headers with 431', async () => {
    await using server = await startServer();
    const answer = await exchange(
      server,
      `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer.split('\r\n\r\n')[1]).toBe('{"error":"the headers are too large"}');
  });

  it('survives a client that resets its connection', async () => {
    await using server = await startServer();
    const socket = connect(server.address.port, server.address.host);
    await once(socket, 'connect');
    socket.write('GET / HT');
    const closed = once(socket, 'close');
    socket.resetAndDestroy();
    await closed;
    expect((await fetch(`${server.url}/-/healthy`)).status).toBe(200);
  });

  it.each([
    ['/metrics?collector=traffic', 'scrape'],
    ['/?account=main', 'status'],
    ['/api/v1/status', 'status'],
    ['/-/ready', 'notReadyReasons'],
  ])('answers %s with 500 if %s fails, and only logs the reason', async (path, part) => {
    const failing = async () => Promise.reject(new Error('private: /var/lib/proxywatch'));
    await using server = await startServer({ [part]: failing });
    const response = await fetch(server.url + path);
    expect(response.status).toBe(500);
    expect(Object.fromEntries(response.headers)).toMatchObject(SECURITY);
    expect(await response.json()).toEqual({ error: 'internal error; read the log of proxywatch' });
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'request failed',
        method: 'GET',
        path: path.replace(/\?.*/, ''),
        error: 'private: /var/lib/proxywatch',
        stack: expect.any(String),
      },
    ]);
  });

  it('logs requests without their query strings', async () => {
    await using server = await startServer();
    await fetch(`${server.url}/-/healthy?token=secret`);
    await expect
      .poll(() => server.lines)
      .toEqual([
        {
          level: 'trace',
          message: 'request answered',
          method: 'GET',
          path: '/-/healthy',
          status: 200,
          durationMs: expect.any(Number),
        },
      ]);
  });
});
