// Tests the answers of common proxy programs that do not reach the target, as they were recorded.

import { describe, expect, it, test } from 'vitest';
import { conclusionOf } from '../../src/cli/probe/conclusion.ts';
import { KNOWN_ANSWERS } from '../../src/prober/causes.ts';
import type { ProbeProxy } from '../../src/prober/probe.ts';
import { answers, FakeProxy, type Handler } from './fake-proxy.ts';
import { outcomeOf, proxyAt, run } from './run-probe.ts';

const squid = (status: string, error: string): string =>
  `HTTP/1.1 ${status}\r\nServer: squid/5.7\r\nContent-Type: text/html;charset=utf-8\r\nX-Squid-Error: ${error}\r\n\r\n`;
const tinyproxy =
  'HTTP/1.1 500 Unable to connect\r\nServer: tinyproxy/1.11.1\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n';
const privoxy = (status: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n`;

const RECORDED = [
  ['squid 5.7: refused', squid('503 Service Unavailable', 'ERR_CONNECT_FAIL 111'), 'target_unreachable'],
  ['squid 5.7: unknown', squid('500 Internal Server Error', 'ERR_CANNOT_FORWARD 0'), 'proxy_or_target'],
  ['squid 5.7: no address', squid('503 Service Unavailable', 'ERR_DNS_FAIL 0'), 'target_name'],
  ['tinyproxy 1.11.1: refused or unknown', tinyproxy, 'target_unreachable'],
  ['privoxy 3.0.34: refused', privoxy('503 Connect failed'), 'target_unreachable'],
  ['privoxy 3.0.34: unknown', privoxy('404 No such domain'), 'target_name'],
  ['privoxy 3.0.34: next proxy down', privoxy('503 Forwarding failure'), 'proxy_or_target'],
] as const;

const NO_METHOD_NEEDED = Buffer.from([5, 0]);
const SOCKS: Partial<ProbeProxy> = { protocol: 'socks5', credentials: undefined };

/** Agrees to the method, and ends the connection after the request. */
const agreesAndEnds =
  (end: 'end' | 'resetAndDestroy'): Handler =>
  (socket) => {
    socket.once('data', () => {
      socket.write(NO_METHOD_NEEDED);
      socket.once('data', () => socket[end]());
    });
  };

const FORWARDED = { url: 'http://shop.example/', depth: 'http' } as const;

const probed = async (handler: Handler, settings: Partial<ProbeProxy> = {}, request = {}) => {
  await using server = await FakeProxy.start(handler);
  const proxy = proxyAt(server.port, settings);
  const result = await run({ proxy, url: 'https://shop.example/', ...request });
  return { proxy, result, conclusion: conclusionOf({ proxy, result, control: undefined }) };
};

describe('the answer of', () => {
  it.each(RECORDED)('%s', async (_, answer, cause) => {
    const { result, conclusion } = await probed(answers(answer));
    expect(outcomeOf(result)).toBe(`tunnel_${cause}`);
    expect(result.refusal).toBe(cause === 'proxy_or_target' ? undefined : 'target');
    expect(conclusion).toMatch(/^The proxy or the target fails \(/);
  });

  it.each([
    ...RECORDED,
    ['squid 5.7: no answer', squid('502 Bad Gateway', 'ERR_ZERO_SIZE_OBJECT 0'), 'target_unreachable'],
    ['squid 5.7: denied', squid('403 Forbidden', 'ERR_ACCESS_DENIED 0'), 'policy'],
  ] as const)('%s, to a forward request', async (_, answer, cause) => {
    const { result, conclusion } = await probed(answers(answer), {}, FORWARDED);
    expect(outcomeOf(result)).toBe(`response_${cause}`);
    expect(result.status).toBeNull();
    expect(conclusion).toMatch(
      cause === 'policy' ? /^The proxy fails \(/ : /^The proxy or the target fails \(/,
    );
  });

  it.each([
    ['without a sign', 'HTTP/1.1 503 Service Unavailable\r\n\r\n'],
    ['with the code of success', tinyproxy.replace('\r\n\r\n', '\r\nx-byteful-status-code: 200\r\n\r\n')],
  ])('a target to a forward request, %s', async (_, answer) => {
    expect(outcomeOf((await probed(answers(answer), {}, FORWARDED)).result)).toBe('response_status');
  });

  it('a proxy with a code of the provider has the cause of the code', async () => {
    const answer = tinyproxy.replace('\r\n\r\n', '\r\nx-byteful-status-code: 2011\r\n\r\n');
    expect(outcomeOf((await probed(answers(answer))).result)).toBe('tunnel_credentials');
  });

  it.each([
    ['microsocks 1.0.3: unknown', answers(NO_METHOD_NEEDED, Buffer.from([5, 1, 0, 1, 0, 0, 0, 0, 0, 0]))],
    ['OpenSSH 9.2: refused or unknown', agreesAndEnds('end')],
    ['a SOCKS5 proxy that resets', agreesAndEnds('resetAndDestroy')],
  ] as const)('%s', async (_, handler) => {
    const { result, conclusion } = await probed(handler, SOCKS);
    expect(outcomeOf(result)).toBe('tunnel_proxy_or_target');
    expect(conclusion).toMatch(/^The proxy or the target fails \(.*--control/);
    expect(conclusion).not.toContain('the port and the protocol');
  });

  it('proxy-chain 3.0.1, which closes without a byte', async () => {
    const { result, conclusion } = await probed((socket) => void socket.once('data', () => socket.end()));
    expect(outcomeOf(result)).toBe('tunnel_closed');
    expect(conclusion).toMatch(/^The proxy or the target fails \(.*--control.*the port and the protocol/);
  });

  it('a SOCKS5 proxy that closes before it chooses a method is not that of a target', async () => {
    const { conclusion } = await probed((socket) => void socket.once('data', () => socket.end()), SOCKS);
    expect(conclusion).toMatch(/^The proxy fails \(tunnel_closed\): .*the port and the protocol/);
  });
});

test('each known answer was recorded', () => {
  const untested = KNOWN_ANSWERS.filter(
    ({ status, sign }) =>
      !RECORDED.some(([, answer]) =>
        answer.includes('reason' in sign ? ` ${status} ${sign.reason}\r\n` : `: ${sign.begins}`),
      ),
  );
  expect(untested).toEqual([]);
});
