// Makes probes in a process of its own: with the prober of proxywatch, or with a bare loop, as many as possible or paced.

import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createSecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { Secret } from '../src/lib/secret.ts';
import { makeProbe } from '../src/prober/make-probe.ts';
import type { Depth, ProbeRequest, ProbeTimeouts, TlsSessions } from '../src/prober/probe.ts';
import { TARGET_CA } from '../test/real/proxies/certificates.ts';
import { type Cost, costOf } from './harness.ts';
import type { ServerPorts } from './probe-servers.ts';
import { serve } from './processes.ts';

export type Work = 'tunnel' | 'http' | 'resumed';

export interface LoopRequest {
  readonly kind: 'ours' | 'bare';
  readonly work: Work;
  readonly ports: ServerPorts;
  readonly ms: number;
  /** Probes at the same time. */
  readonly parallel: number;
  /** Probes a second; 0 makes as many as possible. */
  readonly rate: number;
}

export interface PaceRequest extends Pick<LoopRequest, 'ports' | 'ms' | 'parallel'> {
  /** Each has an address of its own in 127.0.0.0/8. */
  readonly proxies: number;
  /** The time between two rounds of all proxies and both urls. */
  readonly roundMs: number;
}

export interface Probed extends Cost {
  readonly probes: number;
}

export interface Paced extends Probed {
  readonly mostSockets: number;
}

/** As in the configuration. */
const TIMEOUTS: ProbeTimeouts = {
  ...{ resolve: 5_000, connect: 5_000, tunnel: 10_000, tls: 10_000, response: 15_000 },
  total: 15_000,
};
const credentials = { username: 'bench', password: new Secret('password') };
const sessions: TlsSessions = new Map<string, Buffer>();
const { signal } = new AbortController();

const requestOf = (
  { proxy: port, target }: ServerPorts,
  depth: Depth,
  { host = '127.0.0.1', isResumed = false } = {},
): ProbeRequest => ({
  proxy: { protocol: 'http', host, port, credentials },
  target: { url: new Secret(`https://localhost:${target}/`), depth, ca: TARGET_CA },
  ...{ timeouts: TIMEOUTS, signal },
  sessions: isResumed ? { cache: sessions, key: 'target' } : undefined,
});

const probe = async (request: ProbeRequest): Promise<void> => {
  const { failure } = await makeProbe(request);
  if (failure) throw new Error(`a probe failed: ${failure.phase} ${failure.cause}: ${failure.message}`);
};

// The least that a probe needs on node:net and node:tls: connect, CONNECT, TLS, one request. No limits and no counts.

const AUTHORIZATION = Buffer.from('bench:password').toString('base64');
const NAME = 'localhost';
const secureContext = createSecureContext({ ca: TARGET_CA });
const bareSessions: { target?: Buffer } = {};

/** Resolves when the head of the answer has arrived, and rejects other answers than 200. */
const answered = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    let answer = '';
    socket.on('error', reject).on('data', function read(bytes) {
      answer += bytes.toString('latin1');
      if (!answer.includes('\r\n\r\n')) return;
      socket.off('data', read);
      if (answer.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(answer));
    });
  });

const bareTunnel = async (ports: ServerPorts): Promise<Socket> => {
  const socket = connect(ports.proxy, '127.0.0.1');
  const target = `${NAME}:${ports.target}`;
  const head = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    `Proxy-Authorization: Basic ${AUTHORIZATION}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await answered(socket);
  return socket;
};

/** `isResumed` keeps the session of the target for the next probe. */
const bareHttp = async (ports: ServerPorts, isResumed: boolean): Promise<void> => {
  const socket = await bareTunnel(ports);
  const options = { socket, servername: NAME, secureContext, ecdhCurve: 'X25519:P-256' };
  const session = isResumed ? bareSessions.target : undefined;
  const tls: TLSSocket = tlsConnect(session ? { ...options, session } : options);
  if (isResumed)
    tls.on('session', (next) => {
      bareSessions.target = next;
    });
  tls.write(`GET / HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`);
  await answered(tls);
  socket.destroy();
};

const probeOf = ({ kind, work, ports }: LoopRequest): (() => Promise<void>) => {
  const isResumed = work === 'resumed';
  if (kind === 'ours') {
    const request = requestOf(ports, work === 'tunnel' ? 'tunnel' : 'http', { isResumed });
    return () => probe(request);
  }
  if (work !== 'tunnel') return () => bareHttp(ports, isResumed);
  return async () => void (await bareTunnel(ports)).destroy();
};

const makeProbes = async (request: LoopRequest): Promise<Probed> => {
  const { ms, parallel, rate } = request;
  const makeOne = probeOf(request);
  const startedAt = performance.now();
  let probes = 0;
  const turn = async (index: number): Promise<void> => {
    for (let n = index; performance.now() - startedAt < ms; n += parallel) {
      if (rate > 0) await setTimeout(Math.max(0, (1_000 * n) / rate - (performance.now() - startedAt)));
      await makeOne();
      probes += 1;
    }
  };
  const cost = await costOf(() => Promise.all(Array.from({ length: parallel }, (_, n) => turn(n))), false);
  return { ...cost, probes };
};

const SAMPLE_MS = 20;
/** The depths of the two urls: the default, and the one that costs the most. */
const DEPTHS = ['tls', 'http'] as const;

const addressOf = (index: number): string => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;

/** Makes paced probes of many proxies, and also observes the memory and the sockets. */
const makePaced = async ({ ports, proxies, roundMs, ms, parallel }: PaceRequest): Promise<Paced> => {
  const hosts = Array.from({ length: proxies }, (_, index) => addressOf(index));
  const requests = hosts.flatMap((host) => DEPTHS.map((depth) => requestOf(ports, depth, { host })));
  const stepMs = roundMs / requests.length;
  let [mostSockets, rssBytes, probes] = [0, 0, 0];
  const sampling = setInterval(() => {
    mostSockets = Math.max(mostSockets, openSockets());
    rssBytes = Math.max(rssBytes, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const problems: unknown[] = [];
  const cost = await costOf(async () => {
    const running = new Set<Promise<void>>();
    const startedAt = performance.now();
    for (; probes * stepMs < ms; probes += 1) {
      const request = requests[probes % requests.length];
      if (!request) break;
      await setTimeout(Math.max(0, probes * stepMs - (performance.now() - startedAt)));
      if (running.size >= parallel) await Promise.race(running);
      const made: Promise<void> = probe(request)
        .catch((error: unknown) => void problems.push(error))
        .finally(() => running.delete(made));
      running.add(made);
    }
    await Promise.all(running);
  }, false);
  clearInterval(sampling);
  if (problems.length > 0) throw problems[0];
  return { ...cost, probes, mostSockets, rssBytes };
};

serve('ready', (request: LoopRequest | PaceRequest) =>
  'kind' in request ? makeProbes(request) : makePaced(request),
);
