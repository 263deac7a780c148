// Makes probes with the prober of proxywatch, for its benchmark.

import { Secret } from '../src/lib/secret.ts';
import { makeProbe } from '../src/prober/make-probe.ts';
import type { Depth, ProbeRequest, ProbeTimeouts, TlsSessions } from '../src/prober/probe.ts';
import { TARGET_CA } from '../test/real/proxies/certificates.ts';
import type { ServerPorts } from './probe-servers.ts';

/** As in the configuration. */
const TIMEOUTS: ProbeTimeouts = {
  ...{ resolve: 5_000, connect: 5_000, tunnel: 10_000, tls: 10_000, response: 15_000 },
  total: 15_000,
};
const credentials = { username: 'bench', password: new Secret('password') };
const sessions: TlsSessions = new Map<string, Buffer>();
const { signal } = new AbortController();

export const requestOf = (
  { proxy: port, target }: ServerPorts,
  depth: Depth,
  { host = '127.0.0.1', isResumed = false } = {},
): ProbeRequest => ({
  proxy: { protocol: 'http', host, port, credentials },
  target: { url: new Secret(`https://localhost:${target}/`), depth, ca: TARGET_CA },
  timeouts: TIMEOUTS,
  sessions: isResumed ? { cache: sessions, key: 'target' } : undefined,
  signal,
});

export const probe = async (request: ProbeRequest): Promise<void> => {
  const { failure, isResumed } = await makeProbe(request);
  if (failure) throw new Error(`a probe failed: ${failure.phase} ${failure.cause}: ${failure.message}`);
  if (request.sessions && !isResumed) fullHandshakes += 1;
};

/** Probes that could have resumed a session, but did not. */
export let fullHandshakes = 0;
