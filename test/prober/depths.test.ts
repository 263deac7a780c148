// Tests probes that succeed: each protocol of the proxy at each depth, with the phases and findings of the result.

import { describe, expect, it, test } from 'vitest';
import { TextPattern } from '../../src/lib/text-pattern.ts';
import { DEPTHS, type ProbeProxy } from '../../src/prober/probe.ts';
import { FakeProxy, httpTunnel, socksTunnel } from './fake-proxy.ts';
import { greet, LOGIN, outcomeOf, proxyAt, run, startTarget } from './run-probe.ts';

const NO_LOGIN: Partial<ProbeProxy> = { credentials: undefined };

const PROXIES: readonly [string, Partial<ProbeProxy>, typeof httpTunnel, string | undefined][] = [
  ['http', {}, httpTunnel, LOGIN],
  ['http without credentials', NO_LOGIN, httpTunnel, undefined],
  ['https', { protocol: 'https' }, httpTunnel, LOGIN],
  ['socks5', { protocol: 'socks5' }, socksTunnel, LOGIN],
  ['socks5 without credentials', { protocol: 'socks5', ...NO_LOGIN }, socksTunnel, undefined],
];

const PHASES_OF = {
  tunnel: ['connect', 'tunnel'],
  tls: ['connect', 'tunnel', 'tls'],
  http: ['connect', 'tunnel', 'tls', 'response'],
};

describe.each(PROXIES)('a proxy %s', (_, settings, handler, login) => {
  it.each(DEPTHS)('is probed at depth %s', async (depth) => {
    await using target = await startTarget(greet);
    const hasTls = settings.protocol === 'https';
    await using proxy = await FakeProxy.start(handler(target.port, login), { hasTls });
    const result = await run({
      ...{ proxy: proxyAt(proxy.port, settings), url: 'https://localhost/', depth },
      expect: { status: [200], body: new TextPattern('^hello') },
    });
    expect(result).toMatchObject({ failure: null, status: depth === 'http' ? 200 : null });
    expect(Object.keys(result.phases)).toEqual(PHASES_OF[depth]);
    expect(result.certificate).toEqual(
      depth === 'tunnel'
        ? null
        : {
            ...{ subject: 'valid', issuer: 'proxywatch test provider ca', isTrusted: true },
            notAfter: expect.any(Number),
          },
    );
    const sum = Object.values(result.phases).reduce((total, ms) => total + ms, 0);
    expect(result.durationMs).toBeGreaterThanOrEqual(sum - 0.001);
    expect(proxy.connections).toBe(1);
  });

  it('refuses a wrong password', async () => {
    const hasTls = settings.protocol === 'https';
    await using proxy = await FakeProxy.start(handler(1, 'alice:other'), { hasTls });
    const result = await run({ proxy: proxyAt(proxy.port, settings), url: 'https://localhost/' });
    expect([outcomeOf(result), result.refusal]).toEqual(['tunnel_credentials', 'credentials']);
    expect(result.failure?.message).toMatch(/user name/);
  });
});

test('an HTTP proxy gets the target in CONNECT, also with another port and as an IPv6 address', async () => {
  await using proxy = await FakeProxy.start(httpTunnel(1));
  for (const url of ['https://shop.example/a', 'http://shop.example:81/', 'https://[2001:db8::7]:444/']) {
    await run({ proxy: proxyAt(proxy.port), url });
  }
  expect(proxy.received.map((text) => text.split('\r\n')[0])).toEqual([
    'CONNECT shop.example:443 HTTP/1.1',
    'CONNECT shop.example:81 HTTP/1.1',
    'CONNECT [2001:db8::7]:444 HTTP/1.1',
  ]);
  expect(proxy.received[0]).toContain(
    `\r\nProxy-Authorization: Basic ${Buffer.from(LOGIN).toString('base64')}\r\n`,
  );
});

test.each([
  ['https://shop.example/', [3, 12, ...Buffer.from('shop.example'), 1, 187]],
  ['https://192.0.2.7:8443/', [1, 192, 0, 2, 7, 32, 251]],
  ['https://[2001:db8::7]/', [4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 1, 187]],
  ['https://[::1]/', [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 187]],
  ['https://[1:2:3:4:5:6:7:8]/', [4, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 1, 187]],
])('a SOCKS5 proxy gets the target %s as it is, and resolves names itself', async (url, address) => {
  await using proxy = await FakeProxy.start(socksTunnel(1, LOGIN));
  await run({ proxy: proxyAt(proxy.port, { protocol: 'socks5' }), url });
  const sent = Buffer.from(proxy.received[0] ?? '', 'latin1');
  expect([...sent]).toEqual([
    ...[5, 1, 2],
    1,
    5,
    ...Buffer.from('alice'),
    8,
    ...Buffer.from('pa55word'),
    5,
    1,
    0,
    ...address,
  ]);
});

describe('a target without TLS', () => {
  it('is asked by a forward request through an HTTP proxy', async () => {
    await using proxy = await FakeProxy.start((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nx-byteful-status-code: 200\r\n\r\nhello'));
    });
    const result = await run({
      ...{ proxy: proxyAt(proxy.port), url: 'http://user@shop.example:81/a?b=c#d', depth: 'http' },
      returnsBody: true,
    });
    expect(result).toMatchObject({ failure: null, status: 200, body: 'hello' });
    expect(result.proxyAnswer).toEqual({ status: 200, code: '200', requestId: null });
    expect(Object.keys(result.phases)).toEqual(['connect', 'response']);
    expect(proxy.received[0]).toMatch(
      /^GET http:\/\/shop\.example:81\/a\?b=c HTTP\/1\.1\r\nHost: shop\.example:81\r\n/,
    );
    expect(proxy.received[0]).toContain('\r\nProxy-Authorization: Basic ');
  });

  it.each([
    ['socks5', socksTunnel, 'http', ['connect', 'tunnel', 'response']],
    ['socks5', socksTunnel, 'tls', ['connect', 'tunnel']],
    ['http', httpTunnel, 'tls', ['connect', 'tunnel']],
    ['http', httpTunnel, 'tunnel', ['connect', 'tunnel']],
  ] as const)('is reached through a tunnel of %s at depth %s', async (protocol, handler, depth, phases) => {
    await using target = await startTarget(greet, null);
    await using proxy = await FakeProxy.start(handler(target.port, LOGIN));
    const result = await run({
      proxy: proxyAt(proxy.port, { protocol }),
      url: 'http://shop.example/',
      depth,
    });
    expect([outcomeOf(result), Object.keys(result.phases)]).toEqual(['ok', phases]);
  });
});

describe('without a proxy', () => {
  it('probes the target itself, with its name resolved here', async () => {
    await using target = await startTarget(greet);
    const url = `https://localhost:${target.port}/`;
    const result = await run({ url, depth: 'http' });
    expect([outcomeOf(result), Object.keys(result.phases)]).toEqual([
      'ok',
      ['resolve', 'connect', 'tls', 'response'],
    ]);
    expect(result.proxyAnswer).toBeNull();
    expect(Object.keys((await run({ url, depth: 'tunnel' })).phases)).toEqual(['resolve', 'connect']);
  });
});

test('a proxy with an IPv6 address is probed', async () => {
  await using target = await startTarget(greet, null);
  await using proxy = await FakeProxy.start(httpTunnel(target.port, LOGIN), { host: '::1' });
  const result = await run({ proxy: proxyAt(proxy.port, { host: '::1' }), url: 'http://shop.example/' });
  expect(outcomeOf(result)).toBe('ok');
});

test('a proxy with a name is resolved in a phase of its own', async () => {
  await using proxy = await FakeProxy.start(httpTunnel(1));
  const result = await run({
    proxy: proxyAt(proxy.port, { host: 'localhost' }),
    url: 'http://shop.example/',
  });
  expect(Object.keys(result.phases)).toEqual(['resolve', 'connect', 'tunnel']);
  const missing = await run({
    proxy: proxyAt(1, { host: 'no-such-name.invalid' }),
    url: 'http://shop.example/',
  });
  expect([outcomeOf(missing), Object.keys(missing.phases)]).toEqual(['resolve_dns', ['resolve']]);
});
