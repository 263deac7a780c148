// Makes one probe, as deep as the target says. Addresses of targets are parsed once for the many proxies of a round.

import { type Clock, systemClock } from '../lib/clock.ts';
import type { Secret } from '../lib/secret.ts';
import { Attempt } from './attempt.ts';
import { openConnection } from './connect.ts';
import { openHttpTunnel } from './http-connect.ts';
import { askTarget } from './http-request.ts';
import { type Lookup, lookUp, Names } from './names.ts';
import {
  type Probe,
  ProbeError,
  type ProbeFailure,
  type ProbeProxy,
  type ProbeRequest,
  type ProbeResult,
  type ProbeTarget,
} from './probe.ts';
import { openSocksTunnel } from './socks5.ts';
import { secureProxy, secureTarget } from './tls.ts';

interface Machine {
  readonly clock?: Pick<Clock, 'monotonic'>;
  readonly lookup?: Lookup;
}

/** The probes of one such function share the lookups of names. */
export const createProbe = ({ clock = systemClock, lookup = lookUp }: Machine = {}): Probe => {
  const names = new Names(clock, lookup);
  return (request) => probeOnce(request, names);
};

export const makeProbe = createProbe();

const probeOnce = async (request: ProbeRequest, names: Names): Promise<ProbeResult> => {
  const { signal } = request;
  signal.throwIfAborted();
  const attempt = new Attempt(request);
  const stopListening = onAbort(signal, () =>
    attempt.connection.fail(new ProbeError('local', 'the probe was aborted')),
  );
  let failure: ProbeFailure | null = null;
  try {
    await takeSteps(attempt, names);
  } catch (error) {
    failure = failureOf(attempt, error);
  } finally {
    stopListening();
  }
  const result = finish(attempt, failure);
  request.onBytes?.(result.bytes);
  signal.throwIfAborted();
  return result;
};

const takeSteps = async (attempt: Attempt, names: Names): Promise<void> => {
  const { target } = attempt.request;
  const { proxy } = attempt;
  const targetUrl = targetUrlOf(target);
  const { host, port, isSecure } = targetUrl;
  const isForwarded = proxy !== null && proxy.protocol !== 'socks5' && target.depth === 'http' && !isSecure;
  await openConnection(attempt, names, proxy?.host ?? host, proxy?.port ?? port);
  if (proxy?.protocol === 'https') await secureProxy(attempt, proxy.host, proxy.ca);
  if (proxy && !isForwarded) await openTunnel(attempt, proxy, targetUrl);
  if (target.depth === 'tunnel') return;
  if (isSecure) {
    attempt.begin('tls');
    await secureTarget(attempt, host);
  }
  if (target.depth === 'tls') return;
  attempt.begin('response');
  await askTarget(attempt, targetUrl.url, isForwarded);
};

const openTunnel = (
  attempt: Attempt,
  proxy: ProbeProxy,
  { host, port, authority }: TargetUrl,
): Promise<void> => {
  attempt.begin('tunnel');
  return proxy.protocol === 'socks5'
    ? openSocksTunnel(attempt, proxy, host, port)
    : openHttpTunnel(attempt, proxy, authority);
};

/** An error that is none of the probe's own is a mistake of proxywatch. Only its name is shown. */
const failureOf = ({ phases }: Attempt, error: unknown): ProbeFailure => {
  const phase = phases.current;
  if (error instanceof ProbeError) return { phase, cause: error.reason, message: error.message };
  const name = error instanceof Error ? error.name : 'unknown error';
  return { phase, cause: 'local', message: `proxywatch could not make the probe (${name})` };
};

const finish = ({ connection, phases, findings }: Attempt, failure: ProbeFailure | null): ProbeResult => {
  const { bytes } = connection;
  connection.destroy();
  return { failure, ...phases.finish(), bytes, ...findings };
};

type OnAbort = () => void;

interface Waiting {
  readonly callbacks: Set<OnAbort>;
  readonly callAll: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when the signal is aborted. The result ends this.
 *
 * Node.js keeps the listeners of a signal in a linked list. A removed listener that is already old keeps later ones in
 * memory until the next full garbage collection, with the sockets of their probes.
 */
const onAbort = (signal: AbortSignal, callback: OnAbort): (() => void) => {
  const { callbacks, callAll } = waitingFor.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    signal.removeEventListener('abort', callAll);
    waitingFor.delete(signal);
  };
};

const listenTo = (signal: AbortSignal): Waiting => {
  const callbacks = new Set<OnAbort>();
  const callAll = (): void => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener('abort', callAll, { once: true });
  const waiting = { callbacks, callAll };
  waitingFor.set(signal, waiting);
  return waiting;
};

interface TargetUrl {
  readonly url: URL;
  /** A name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The host and the port as in a request, with an IPv6 address in brackets. */
  readonly authority: string;
  readonly isSecure: boolean;
}

interface Parsed extends TargetUrl {
  readonly text: string;
}

const parsed = new WeakMap<Secret, Parsed>();

export const targetUrlOf = ({ url: secret }: Pick<ProbeTarget, 'url'>): TargetUrl => {
  const text = secret.reveal();
  const known = parsed.get(secret);
  // An address from a file can change between two probes.
  if (known?.text === text) return known;
  const target = { text, ...parse(text) };
  parsed.set(secret, target);
  return target;
};

const parse = (text: string): TargetUrl => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new ProbeError('local', 'the address of the target must begin with http:// or https://');
  const { hostname } = url;
  const [port, isSecure] = [portOf(url), url.protocol === 'https:'];
  return { url, host: withoutBrackets(hostname), port, authority: `${hostname}:${port}`, isSecure };
};

/** The URL standard writes an IPv6 address in brackets, which sockets and SOCKS5 do not. */
const withoutBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

const portOf = ({ port, protocol }: URL): number => {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
};
