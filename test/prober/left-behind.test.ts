// Tests what a probe leaves behind: bytes counted as a relay sees them, no sockets or timers, and no secrets.

import { getEventListeners, once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, it, test, vi } from 'vitest';
import { TextPattern } from '../../src/lib/text-pattern.ts';
import type { ProbeResult, TraceStep } from '../../src/prober/probe.ts';
import { answers, FakeProxy, type Handler, httpTunnel, socksTunnel } from './fake-proxy.ts';
import { greet, LOGIN, outcomeOf, proxyAt, run, startTarget, TIMEOUTS } from './run-probe.ts';

interface Counts {
  sent: number;
  received: number;
}

/** Passes everything on to a port, and counts it. */
const counting =
  (port: number, counts: Counts): Handler =>
  (client) => {
    const server = connect(port, '127.0.0.1');
    client.on('data', (bytes) => {
      counts.sent += bytes.length;
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      counts.received += bytes.length;
      client.write(bytes);
    });
    server.on('error', () => client.destroy());
    server.on('close', () => client.end());
    client.on('close', () => server.destroy());
  };

describe('the bytes', () => {
  it.each([
    ['http', 'tunnel', httpTunnel],
    ['http', 'http', httpTunnel],
    ['https', 'tunnel', httpTunnel],
    ['https', 'http', httpTunnel],
    ['socks5', 'tunnel', socksTunnel],
    ['socks5', 'http', socksTunnel],
  ] as const)('of a proxy %s at depth %s are those that a relay sees', async (protocol, depth, handler) => {
    const counts = { sent: 0, received: 0 };
    await using target = await startTarget(greet);
    await using proxy = await FakeProxy.start(handler(target.port, LOGIN), { hasTls: protocol === 'https' });
    await using relay = await FakeProxy.start(counting(proxy.port, counts));
    const result = await run({
      ...{ proxy: proxyAt(relay.port, { protocol }), url: 'https://localhost/', depth },
      // The whole body is read, so nothing is on its way when the probe ends.
      expect: { body: new TextPattern('^hello$') },
    });
    expect(result.failure).toBeNull();
    await Promise.all([...relay.sockets].map((socket) => socket.closed || once(socket, 'close')));
    expect(result.bytes.sent).toBe(counts.sent);
    expect(result.bytes.received).toBeGreaterThan(10);
    expect(result.bytes.received).toBeLessThanOrEqual(counts.received);
    // Tickets of TLS and the end of the connection can follow the answer.
    expect(counts.received - result.bytes.received).toBeLessThan(700);
  });

  it('are counted also when the limit cuts the probe off', async () => {
    await using proxy = await FakeProxy.start(
      (socket) => void socket.once('data', () => socket.write('HTTP/1.1 20')),
    );
    const result = await run({
      ...{ proxy: proxyAt(proxy.port), url: 'https://shop.example/' },
      timeouts: { ...TIMEOUTS, tunnel: 500 },
    });
    expect([outcomeOf(result), result.bytes]).toEqual([
      'tunnel_timeout',
      { sent: proxy.received[0]?.length, received: 11 },
    ]);
  });

  it('are reported once, also when the signal aborts the probe', async () => {
    const abort = new AbortController();
    const reported: ProbeResult['bytes'][] = [];
    await using proxy = await FakeProxy.start(
      (socket) => void socket.once('data', () => socket.write('HTTP/1.1 20')),
    );
    const probing = run({
      ...{ proxy: proxyAt(proxy.port), url: 'https://shop.example/', signal: abort.signal },
      onBytes: (bytes) => reported.push(bytes),
    });
    await vi.waitFor(() => expect(proxy.received).toHaveLength(1), 20_000);
    abort.abort();
    await expect(probing).rejects.toThrow();
    expect(reported.map(({ sent }) => sent)).toEqual([proxy.received[0]?.length]);
  });
});

describe('the signal', () => {
  it('ends the probe at once, with its reason', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    await using proxy = await FakeProxy.start((socket) => void socket.once('data', () => stop.abort(reason)));
    const probe = run({ proxy: proxyAt(proxy.port), url: 'https://shop.example/', signal: stop.signal });
    await expect(probe).rejects.toBe(reason);
    await Promise.all([...proxy.sockets].map((socket) => socket.closed || once(socket, 'close')));
  });

  it('prevents a probe if it is aborted already', async () => {
    await using proxy = await FakeProxy.start(() => {});
    const request = { proxy: proxyAt(proxy.port), url: 'https://shop.example/' };
    await expect(run({ ...request, signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
      'stopped',
    );
    expect(proxy.connections).toBe(0);
  });

  it('serves many probes at once without a warning, and keeps no listener of each', async () => {
    const warnings = vi.fn();
    process.on('warning', warnings);
    const { signal } = new AbortController();
    await using proxy = await FakeProxy.start(httpTunnel(1));
    await Promise.all(
      Array.from({ length: 40 }, () =>
        run({ proxy: proxyAt(proxy.port), url: 'https://shop.example/', signal }),
      ),
    );
    await nextTurn();
    process.off('warning', warnings);
    expect(warnings).not.toHaveBeenCalled();
    // One listener for all probes of a signal may stay with the signal.
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
  });
});

test.each([
  ['a success', answers('HTTP/1.1 200 OK\r\n\r\n'), 'tunnel'],
  [
    'a refusal',
    (socket) => void socket.once('data', () => socket.write('HTTP/1.1 502 No\r\n\r\n')),
    'tunnel',
  ],
  ['an early close', (socket) => void socket.end(), 'tunnel'],
  [
    'garbage in TLS',
    (socket) => void socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n')),
    'tls',
  ],
] as const satisfies readonly (readonly [string, Handler, string])[])(
  '%s leaves no socket and no timer',
  async (_, handler, depth) => {
    await using target = await startTarget(greet);
    await using proxy = await FakeProxy.start(handler);
    const [sockets, timers] = [active(SOCKETS), active(/Timeout/)];
    const request = { proxy: proxyAt(proxy.port), url: `https://localhost:${target.port}/`, depth };
    for (let count = 0; count < PROBES; count += 1) await run(request);
    // Closed handles disappear some turns later. The time limits of a probe would stay longer than this wait.
    await until(() => active(SOCKETS) < sockets + PROBES / 2 && active(/Timeout/) < timers + PROBES / 2);
  },
);

const SOCKETS = /TCPSocketWrap|TLSWrap|GetAddrInfo/;
/** Much more than the timers and sockets that the test runner and earlier tests add meanwhile. */
const PROBES = 20;
const MAX_WAIT_MS = 10_000;

const active = (kind: RegExp): number =>
  process.getActiveResourcesInfo().filter((name) => kind.test(name)).length;

/** Waits without a timer, which would count. */
const until = async (isDone: () => boolean): Promise<void> => {
  const end = performance.now() + MAX_WAIT_MS;
  while (!isDone()) {
    expect(performance.now()).toBeLessThan(end);
    await nextTurn();
  }
};

describe('secrets', () => {
  const URL_PATH = '/hook/hidden-token?key=another-hidden';

  /** Repeats all that it received in its answer, as a debugging proxy does. */
  const echo: Handler = (socket) => {
    socket.once('data', (bytes) => {
      const lines = bytes
        .toString('latin1')
        .split('\r\n')
        .filter((line) => line !== '');
      const headers = lines.map((line, index) => `X-Echo-${index}: ${line.replaceAll(/\r/g, '')}`);
      socket.end(
        `HTTP/1.1 403 pa55word\r\n${headers.join('\r\n')}\r\nLocation: ${URL_PATH}\r\nX-Decoded: ${LOGIN}\r\n\r\n`,
      );
    });
  };

  const traced = async (
    handler: Handler,
    request: object,
  ): Promise<{ text: string; result: ProbeResult }> => {
    const steps: TraceStep[] = [];
    await using proxy = await FakeProxy.start(handler);
    const result = await run({
      ...{ proxy: proxyAt(proxy.port), url: `https://shop.example${URL_PATH}` },
      ...{ trace: (step) => void steps.push(step) },
      ...request,
    });
    return { text: inspect([result, steps], { depth: 9, maxArrayLength: null }), result };
  };

  it.each([
    ['CONNECT', { depth: 'tunnel' }],
    ['a forward request', { depth: 'http', url: `http://bob:pa55word@shop.example${URL_PATH}` }],
  ])('of %s are in no trace and no result, also if the answer repeats them', async (_, request) => {
    const { text, result } = await traced(echo, request);
    expect(result.failure).not.toBeNull();
    expect(text).toContain("direction: '<'");
    expect(text).not.toMatch(/pa55|hidden|YWxpY2U6|Ym9i/);
  });

  it('of SOCKS5 are in no trace', async () => {
    await using target = await startTarget(greet);
    const proxyOf = { depth: 'http', proxy: undefined };
    await using proxy = await FakeProxy.start(socksTunnel(target.port, LOGIN));
    const { text, result } = await traced(() => {}, {
      ...proxyOf,
      proxy: proxyAt(proxy.port, { protocol: 'socks5' }),
      url: `https://localhost${URL_PATH}`,
    });
    expect(outcomeOf(result)).toBe('ok');
    expect(text).not.toMatch(/pa55|hidden/);
  });
});
