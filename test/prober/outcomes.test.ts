// Tests probes that fail: phase and cause of each outcome, against proxies that misbehave over real sockets.

import { describe, expect, it, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import type { ProbeProxy, ProbeRequest } from '../../src/prober/probe.ts';
import { answers, FakeProxy, type Handler, httpTunnel } from './fake-proxy.ts';
import { outcomeOf, proxyAt, run, startTarget, TIMEOUTS } from './run-probe.ts';

const ID = '0b6e3c1a-2f4d-4c8e-9a7b-5d1f00c2e3a4';

const refusing = (status: number, code?: string): Handler =>
  answers(
    `HTTP/1.1 ${status} No\r\n${code === undefined ? '' : `X-Byteful-Status-Code: ${code}\r\n`}x-byteful-request-id: ${ID}\r\n\r\n`,
  );

const probeOf = async (handler: Handler, settings: Partial<ProbeProxy> = {}, more = {}) => {
  await using proxy = await FakeProxy.start(handler);
  return await run({ proxy: proxyAt(proxy.port, settings), url: 'https://shop.example/token-1', ...more });
};

describe('a refused CONNECT', () => {
  it.each([
    [407, '2010', 'credentials', 'credentials'],
    [407, '2039', 'credentials', 'credentials'],
    [407, '2081', 'credentials', 'credentials'],
    [400, '2061', 'options', 'options'],
    [502, '3100', 'target_unreachable', 'target'],
    [502, '3129', 'target_unreachable', 'target'],
    [502, '8201', 'target_unreachable', 'target'],
    [502, '8221', 'target_unreachable', 'target'],
    [502, '8249', 'target_unreachable', 'target'],
    [400, '3151', 'target_name', 'target'],
    [403, '3161', 'policy', 'policy'],
    [403, '3170', 'policy', 'policy'],
    [403, '4231', 'policy', 'policy'],
    [403, '4110', 'policy', 'policy'],
    [403, '4129', 'policy', 'policy'],
    [429, '4201', 'quota', 'quota'],
    [429, '4211', 'quota', 'quota'],
    [429, '4221', 'quota', 'quota'],
    [503, '4511', 'no_node', 'no_node'],
    [503, '8211', 'no_node', 'no_node'],
    ...['1000', '2009', '2070', '3140', '4100', '4500', '4520', '5000', '5029', '8000', '8109'].map(
      (code) => [500, code, 'provider', 'provider'] as const,
    ),
    ...['9000', '9019', '9999'].map((code) => [500, code, 'provider', 'provider'] as const),
    [405, '9021', 'proxy_error', 'other'],
    [400, '9101', 'proxy_error', 'other'],
    // A code that the table does not have leaves the decision to the status.
    [407, '7777', 'credentials', 'credentials'],
    [418, '7777', 'proxy_error', 'other'],
    [403, '200', 'policy', 'policy'],
    [407, undefined, 'credentials', 'credentials'],
    [401, undefined, 'credentials', 'credentials'],
    [429, undefined, 'quota', 'quota'],
    [403, undefined, 'policy', 'policy'],
    [502, undefined, 'target_unreachable', 'target'],
    [503, undefined, 'target_unreachable', 'target'],
    [504, undefined, 'target_unreachable', 'target'],
    [400, undefined, 'proxy_error', undefined],
    [500, undefined, 'proxy_or_target', undefined],
    [302, undefined, 'proxy_error', undefined],
  ] as const)('with status %s and code %s is %s', async (status, code, cause, refusal) => {
    const result = await probeOf(refusing(status, code));
    expect([outcomeOf(result), result.refusal]).toEqual([`tunnel_${cause}`, refusal]);
    expect(result.proxyAnswer).toEqual({ status, code: code ?? null, requestId: ID });
    expect(result.failure?.message).toContain(`status ${status}`);
  });

  it.each(['42211', '42a1', '', '4221, 4221', '<b>'])('keeps no code %j, which is none', async (code) => {
    const result = await probeOf(
      answers(`HTTP/1.1 429 No\r\nx-byteful-status-code: ${code}\r\nx-byteful-request-id: ${ID}-1\r\n\r\n`),
    );
    expect(result.proxyAnswer).toEqual({ status: 429, code: null, requestId: null });
    expect(JSON.stringify(result)).not.toMatch(/42a1|<b>/);
  });

  it('without credentials says that the proxy demands them', async () => {
    const result = await probeOf(refusing(407), { credentials: undefined });
    expect(result.failure?.message).toBe('the proxy demands a user name and password (status 407)');
  });
});

describe('a refusal of SOCKS5', () => {
  it.each([
    [1, 'proxy_or_target'],
    [2, 'policy'],
    [3, 'target_unreachable'],
    [4, 'target_unreachable'],
    [5, 'target_refused'],
    [6, 'target_unreachable'],
    [7, 'protocol'],
    [8, 'protocol'],
    [99, 'proxy_error'],
  ])('with reply %s is %s', async (reply, cause) => {
    // Some proxies send only the first bytes of a refusal, and close.
    const handler = answers(Buffer.from([5, 0]), Buffer.from([5, reply]));
    const result = await probeOf(handler, { protocol: 'socks5', credentials: undefined });
    expect(outcomeOf(result)).toBe(`tunnel_${cause}`);
    expect(result.proxyAnswer).toEqual({ status: reply, code: null, requestId: null });
  });

  it.each([
    ['chooses a method that was not offered', [Buffer.from([5, 1])], 'tunnel_protocol'],
    // It would not notice a wrong password.
    ['takes no login, although one was offered', [Buffer.from([5, 0])], 'tunnel_protocol'],
    ['speaks SOCKS4', [Buffer.from([4, 0])], 'tunnel_protocol'],
    ['sends garbage as login', [Buffer.from([5, 2]), 'HT'], 'tunnel_protocol'],
    [
      'replies with an unknown type of address',
      [Buffer.from([5, 2]), Buffer.from([1, 0]), Buffer.from([5, 0, 0, 9, 1, 1, 1])],
      'tunnel_protocol',
    ],
  ])('of a proxy that %s', async (_, texts, outcome) => {
    expect(outcomeOf(await probeOf(answers(...texts), { protocol: 'socks5' }))).toBe(outcome);
  });

  it.each([
    ['with a user name and password', {}, 2, /leave them out/],
    ['without them', { credentials: undefined }, 0, /demands a user name/],
  ])('%s offers only this, so 0xFF says what is wrong', async (_, settings, method, message) => {
    await using proxy = await FakeProxy.start(answers(Buffer.from([5, 0xff])));
    const result = await run({
      proxy: proxyAt(proxy.port, { protocol: 'socks5', ...settings }),
      url: 'https://shop.example/',
    });
    expect(proxy.received).toEqual([Buffer.from([5, 1, method]).toString('latin1')]);
    expect([outcomeOf(result), result.refusal]).toEqual(['tunnel_credentials', 'credentials']);
    expect(result.failure?.message).toMatch(message);
  });

  it('is not even asked if the password is too long for it', async () => {
    await using proxy = await FakeProxy.start(answers(Buffer.from([5, 2])));
    const credentials = { username: 'alice', password: new Secret('x'.repeat(256)) };
    const result = await run({
      proxy: proxyAt(proxy.port, { protocol: 'socks5', credentials }),
      url: 'https://shop.example/',
    });
    expect(outcomeOf(result)).toBe('tunnel_credentials');
    expect(proxy.received[0]).toHaveLength(3);
  });
});

const SILENT: Handler = () => {};
/** Only an expected timeout has a short limit, and only in its phase, so that a busy machine changes no outcome. */
const limitsFor = (outcome: string): ProbeRequest['timeouts'] => {
  const [phase, cause] = outcome.split('_');
  return cause === 'timeout' ? { ...TIMEOUTS, [phase ?? '']: 250 } : TIMEOUTS;
};

/** Never ends its header, so only the phase's limit ends the probe. */
const dripping: Handler = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
};

describe.each(['http', 'socks5', 'https'] as const)('a proxy %s', (protocol) => {
  it.each([
    ['accepts and never answers', SILENT, 'timeout'],
    ['closes at once', (socket) => void socket.end(), 'closed'],
    ['closes after the request', (socket) => void socket.once('data', () => socket.end()), 'closed'],
    [
      'resets after the request',
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
      'reset',
    ],
    ['sends a banner of something else', answers('SSH-2.0-OpenSSH_9.2\r\n'), 'protocol'],
    ['sends bytes of no protocol', answers(Buffer.from([0, 1, 2, 3, 255])), 'protocol'],
  ] as const satisfies readonly (readonly [string, Handler, string])[])(
    'that %s fails',
    async (_, handler, cause) => {
      const outcome = `${protocol === 'https' ? 'connect' : 'tunnel'}_${cause}`;
      const result = await probeOf(handler, { protocol }, { timeouts: limitsFor(outcome) });
      expect(outcomeOf(result)).toBe(outcome);
      expect(result.proxyAnswer).toBeNull();
    },
  );

  it('that refuses the connection fails', async () => {
    const { port } = await closedProxy();
    expect(outcomeOf(await run({ proxy: proxyAt(port, { protocol }), url: 'https://shop.example/' }))).toBe(
      'connect_refused',
    );
  });
});

/** A port on which nothing listens any more. */
const closedProxy = async (): Promise<{ readonly port: number }> => {
  await using proxy = await FakeProxy.start(SILENT);
  return { port: proxy.port };
};

describe('an HTTP proxy', () => {
  it.each([
    ['drips its header byte by byte', dripping, 'timeout'],
    ['sends a header without end', answers(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`), 'protocol'],
    ['sends many 1xx answers', answers('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)), 'protocol'],
    ['sends a line that is no header', answers('HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'), 'protocol'],
    ['sends no status', answers('HTTP/1.1 OK\r\n\r\n'), 'protocol'],
    ['speaks HTTP/2', answers('HTTP/2 200\r\n\r\n'), 'protocol'],
  ])('that %s fails', async (_, handler, cause) => {
    const timeouts = limitsFor(`tunnel_${cause}`);
    expect(outcomeOf(await probeOf(handler, {}, { timeouts }))).toBe(`tunnel_${cause}`);
  });

  it('may send 1xx answers, bare line feeds and HTTP/1.0', async () => {
    const handler = answers('HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.0 200 OK\nA: b\n\n');
    expect(outcomeOf(await probeOf(handler))).toBe('ok');
  });
});

describe('behind an open tunnel', () => {
  const OPEN = 'HTTP/1.1 200 OK\r\n\r\n';

  it.each([
    ['never answers', answers(OPEN), 'tls_timeout'],
    ['is garbage', answers(`${OPEN}SSH-2.0-OpenSSH_9.2\r\n`), 'tls_protocol'],
    ['closes', (socket) => void socket.once('data', () => socket.end(OPEN)), 'tls_closed'],
    [
      'resets',
      (socket) => {
        socket.once('data', () => {
          socket.write(OPEN);
          socket.once('data', () => socket.resetAndDestroy());
        });
      },
      'tls_reset',
    ],
  ] as const satisfies readonly (readonly [string, Handler, string])[])(
    'a target that %s fails',
    async (_, handler, outcome) => {
      expect(outcomeOf(await probeOf(handler, {}, { depth: 'tls', timeouts: limitsFor(outcome) }))).toBe(
        outcome,
      );
    },
  );

  it.each([
    ['never answers', () => {}, 'response_timeout'],
    ['closes', (_, response) => void response.destroy(), 'response_closed'],
    ['answers 503', (_, response) => void response.writeHead(503).end(), 'response_status'],
    ['redirects in circles', (_, response) => void response.writeHead(400).end(), 'response_status'],
  ] as const satisfies readonly (readonly [string, Parameters<typeof startTarget>[0], string])[])(
    'a target with TLS that %s fails',
    async (_, listener, outcome) => {
      await using target = await startTarget(listener);
      await using proxy = await FakeProxy.start(httpTunnel(target.port));
      const result = await run({
        proxy: proxyAt(proxy.port),
        url: 'https://localhost/',
        depth: 'http',
        timeouts: limitsFor(outcome),
      });
      expect(outcomeOf(result)).toBe(outcome);
    },
  );
});

describe('a forward request', () => {
  const forwarded = (text: string) =>
    probeOf(answers(text), {}, { url: 'http://shop.example/', depth: 'http' });

  it.each([
    ['HTTP/1.1 403 No\r\nx-byteful-status-code: 4231\r\n\r\n', 'response_policy', null],
    ['HTTP/1.1 407 No\r\n\r\n', 'response_credentials', null],
    ['HTTP/1.1 403 No\r\nx-byteful-status-code: 200\r\n\r\n', 'response_status', 403],
    ['HTTP/1.1 502 No\r\n\r\n', 'response_status', 502],
    ['HTTP/1.1 204 No\r\nx-byteful-status-code: 200\r\n\r\n', 'ok', 204],
  ])('that is answered by %j is %s', async (text, outcome, status) => {
    const result = await forwarded(text);
    expect([outcomeOf(result), result.status]).toEqual([outcome, status]);
  });
});

test('the limit of the whole probe ends the phase that runs', async () => {
  const result = await probeOf(SILENT, {}, { timeouts: { ...TIMEOUTS, total: 500 } });
  expect(result.failure).toEqual({
    ...{ phase: 'tunnel', cause: 'timeout' },
    message: 'the proxy did not open the tunnel within the time limit of the probe (0.5 s)',
  });
});

test('an address that is no web address is a failure, and shows none of it', async () => {
  const result = await run({ url: 'ftp://user:pa55@shop.example/token-1' });
  expect(outcomeOf(result)).toBe('resolve_local');
  expect(JSON.stringify(result)).not.toMatch(/token|pa55|shop/);
});
