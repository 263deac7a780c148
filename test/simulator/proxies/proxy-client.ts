// Starts a simulator with proxies for tests, and talks to its proxies with hand-written bytes over real sockets.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ProxyOptions } from '../../../src/simulator/proxies/proxies.ts';
import type { ListedProxy } from '../../../src/simulator/proxies/simulated-proxy.ts';
import { type ScenarioInput, startSimulator } from '../../../src/simulator/simulator.ts';
import { FakeClock } from '../../support/fake-clock.ts';

export const NOW = '2026-07-10T12:34:56Z';
/** No traffic of its own, and no user with a limit. */
const QUIET: ScenarioInput = {
  pace: null,
  proxies: 4,
  limits: { unlimited: 1, zero: 0, near: 0, over: 0 },
  traffic: { requests_per_minute: { datacenter: 0, isp: 0, residential: 0, mobile: 0 } },
};

export const openProxies = async (scenario: ScenarioInput = {}, options: ProxyOptions = {}) => {
  const clock = new FakeClock(NOW);
  const simulator = await startSimulator({
    scenario: { ...QUIET, ...scenario },
    now: () => clock.now(),
    proxies: options,
  });
  const { proxies } = simulator;
  const proxyAt = (index: number): ListedProxy => {
    const proxy = proxies.proxies[index];
    if (!proxy) throw new Error(`the account has no proxy ${index}`);
    return proxy;
  };
  return {
    ...{ simulator, clock, proxies, proxyAt },
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
};

type Endpoint = Pick<ListedProxy, 'host' | 'port'>;

export const connectTo = async ({ host, port }: Endpoint): Promise<Socket> => {
  const socket = connect({ host, port });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
};

/** Returns what the other side sends until it ends or resets the connection, or until `isEnough`. */
export const readUntil = async (
  socket: Duplex,
  isEnough: (received: Buffer) => boolean = () => false,
): Promise<Buffer> => {
  let received = Buffer.alloc(0);
  while (!isEnough(received)) {
    const chunk: Buffer | null = socket.read();
    if (chunk) received = Buffer.concat([received, chunk]);
    else if (socket.readableEnded || socket.destroyed) return received;
    else
      await new Promise<void>((resolve) => {
        for (const event of ['readable', 'end', 'close', 'error']) socket.once(event, () => resolve());
      });
  }
  return received;
};

export const readHead = async (socket: Duplex): Promise<string> =>
  String(await readUntil(socket, (received) => received.includes('\r\n\r\n')));

export const basic = ({ username, password }: Pick<ListedProxy, 'username' | 'password'>): string =>
  `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`;

export const connectRequest = (target: string, headers: string): string =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${headers}\r\n`;

/** Returns the head of the answer to CONNECT, and the socket. */
export const openTunnel = async (
  proxy: ListedProxy,
  target = 'check.example:443',
  socket?: Duplex,
): Promise<{ head: string; socket: Duplex }> => {
  const connection = socket ?? (await connectTo(proxy));
  connection.write(connectRequest(target, basic(proxy)));
  return { head: await readHead(connection), socket: connection };
};

/** Sends one request, and returns everything that comes back until the connection ends. */
export const exchange = async (endpoint: Endpoint, bytes: string | Uint8Array): Promise<string> => {
  const socket = await connectTo(endpoint);
  socket.write(bytes);
  const received = await readUntil(socket);
  socket.destroy();
  return String(received);
};

export const codeOf = (head: string): string | undefined => /x-byteful-status-code: (\d+)/.exec(head)?.[1];
export const statusOf = (head: string): number => Number(head.split(' ')[1]);

/** Starts TLS inside an open connection. Throws the error of the handshake. */
export const startTls = async (socket: Duplex, servername: string, ca: string): Promise<TLSSocket> => {
  const secure = connectTls({ socket, servername, ca });
  await once(secure, 'secureConnect');
  return secure;
};

/** Requests a path in an open connection, and returns the whole answer. */
export const get = async (socket: Duplex, path: string, host = 'check.example'): Promise<string> => {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return String(await readUntil(socket));
};

/** Returns the body of a path of the target, asked through a tunnel and TLS. */
export const getThrough = async (proxy: ListedProxy, path: string, ca: string): Promise<string> => {
  const { socket, head } = await openTunnel(proxy);
  if (statusOf(head) !== 200) throw new Error(head);
  const answer = await get(await startTls(socket, 'check.example', ca), path);
  socket.destroy();
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
};
