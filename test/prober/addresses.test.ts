// Tests the connection to a proxy whose name has several addresses.

import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { type Race, race } from '../../src/prober/connect.ts';
import { createProbe } from '../../src/prober/make-probe.ts';
import type { ProbeResult } from '../../src/prober/probe.ts';
import { socketError } from '../../src/prober/socket-errors.ts';
import { FakeProxy } from './fake-proxy.ts';
import { outcomeOf, proxyAt, TIMEOUTS } from './run-probe.ts';
import { startSilentServer } from './silent-server.ts';

const URL_OF_TARGET = new Secret('https://shop.example/');

/** Probes a proxy whose name has these addresses. */
const probeAt = (addresses: readonly string[], port: number): Promise<ProbeResult> =>
  createProbe({ lookup: (_host, onEnd) => onEnd(addresses) })({
    proxy: proxyAt(port, { host: 'gate.example.com', credentials: undefined }),
    target: { url: URL_OF_TARGET, depth: 'tunnel' },
    ...{ timeouts: TIMEOUTS, signal: new AbortController().signal },
  });

const accepting = (socket: Socket): void =>
  void socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));

it('is made to the address that answers', async () => {
  await using proxy = await FakeProxy.start(accepting);
  expect(outcomeOf(await probeAt(['127.0.0.2', '127.0.0.3', '127.0.0.1'], proxy.port))).toBe('ok');
  expect(proxy.connections).toBe(1);
});

it('is made to the next address if the first does not answer', async () => {
  await using silent = await startSilentServer();
  await using proxy = await FakeProxy.start(accepting, { host: '127.0.0.2', port: silent.port });
  expect(outcomeOf(await probeAt(['127.0.0.1', '127.0.0.2'], proxy.port))).toBe('ok');
});

it('names the reason that says most if no address answers', async () => {
  const { port } = await closedPort();
  expect(outcomeOf(await probeAt(['127.0.0.2', '127.0.0.1'], port))).toBe('connect_refused');
});

/** Runs a race whose addresses are the ports of this machine. */
const raceOf = (ports: readonly number[], onOpen: Race['open'], limitMs = 20): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const onEnd: Race['onEnd'] = (winner) =>
      winner instanceof AggregateError ? reject(winner) : resolve(winner);
    race({ ...{ addresses: ports.map(String), limitMs, onEnd }, open: onOpen });
  });

it('does not give up an address that answers slowly when it tries the next one', async () => {
  await using slow = await startSilentServer();
  await using dead = await startSilentServer();
  const opened: Socket[] = [];
  const winner = await raceOf([slow.port, dead.port], (address) => {
    const socket = connect(Number(address), '127.0.0.1');
    opened.push(socket);
    if (opened.length === 2) slow.wake();
    return socket;
  });
  expect(winner.remotePort).toBe(slow.port);
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([false, true]);
  winner.destroy();
});

it('waits for an address that answers slowly when all others are refused', async () => {
  await using slow = await startSilentServer();
  const { port } = await closedPort();
  const winner = await raceOf([slow.port, port], (address) => {
    const socket = connect(Number(address), '127.0.0.1');
    if (Number(address) === port) socket.once('close', () => slow.wake());
    return socket;
  });
  expect(winner.remotePort).toBe(slow.port);
  winner.destroy();
});

it('closes all sockets of a race that is ended, and opens no more', async () => {
  await using silent = await startSilentServer();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const opened: Socket[] = [];
  const open = (): Socket => {
    const socket = connect(silent.port, '127.0.0.1');
    opened.push(socket);
    return socket;
  };
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  const stop = race({ addresses, limitMs: 20_000, open, onEnd: () => expect.unreachable() });
  vi.advanceTimersByTime(250);
  stop();
  vi.advanceTimersByTime(20_000);
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

it('tries the addresses of both families in turn, and not more than eight', async () => {
  const { port } = await closedPort();
  const tried: string[] = [];
  const six = Array.from({ length: 9 }, (_, index) => `2001:db8::${index + 1}`);
  const addresses = [...six, '192.0.2.1', '192.0.2.2'];
  await new Promise((resolve) => {
    const open = (address: string): Socket => {
      tried.push(address);
      return connect(port, '127.0.0.1');
    };
    race({ addresses, limitMs: 20_000, open, onEnd: resolve });
  });
  expect(tried.slice(0, 5)).toEqual(['2001:db8::1', '192.0.2.1', '2001:db8::2', '192.0.2.2', '2001:db8::3']);
  expect(tried).toHaveLength(8);
});

it.each([
  [['ENETUNREACH', 'ECONNREFUSED'], 'refused'],
  [['ETIMEDOUT', 'ENETUNREACH'], 'timeout'],
  [['EMFILE', 'EMFILE'], 'local'],
])('of %j says %s', (codes, cause) => {
  const errors = codes.map((code) => Object.assign(new Error(code), { code, syscall: 'connect' }));
  expect(socketError(new AggregateError(errors)).reason).toBe(cause);
});

/** A port on which nothing listens any more. */
const closedPort = async (): Promise<{ readonly port: number }> => {
  await using proxy = await FakeProxy.start(() => {});
  return { port: proxy.port };
};
