// Makes probes with short time limits, and starts targets for them.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Secret } from '../../src/lib/secret.ts';
import { makeProbe } from '../../src/prober/make-probe.ts';
import type { ProbeProxy, ProbeRequest, ProbeResult, ProbeTarget } from '../../src/prober/probe.ts';
import { CA, type CertificateName, certificate } from './certificates.ts';

/** Long enough for a busy machine. Tests of the limits themselves give their own. */
const LIMIT_MS = 20_000;

export const TIMEOUTS: ProbeRequest['timeouts'] = {
  ...{ resolve: LIMIT_MS, connect: LIMIT_MS, tunnel: LIMIT_MS, tls: LIMIT_MS, response: LIMIT_MS },
  total: LIMIT_MS,
};

export const LOGIN = 'alice:pa55word';

export const proxyAt = (port: number, more: Partial<ProbeProxy> = {}): ProbeProxy => ({
  ...{ protocol: 'http', host: '127.0.0.1', port, ca: CA },
  credentials: { username: 'alice', password: new Secret('pa55word') },
  ...more,
});

type Request = Partial<Omit<ProbeRequest, 'target'>> & {
  readonly url: string;
} & Partial<Omit<ProbeTarget, 'url'>>;

export const run = ({
  url,
  depth = 'tunnel',
  expect,
  ca = CA,
  returnsBody,
  ...more
}: Request): Promise<ProbeResult> =>
  makeProbe({
    ...{ proxy: null, timeouts: TIMEOUTS, signal: new AbortController().signal },
    ...more,
    target: { url: new Secret(url), depth, expect, ca, returnsBody },
  });

/** Phase and cause of the failure, such as `tunnel_credentials`; `ok` if there is none. */
export const outcomeOf = ({ failure }: ProbeResult): string =>
  failure ? `${failure.phase}_${failure.cause}` : 'ok';

export interface Target extends AsyncDisposable {
  readonly port: number;
}

export const startTarget = async (
  listener: RequestListener,
  tls: CertificateName | null = 'valid',
  host = '127.0.0.1',
): Promise<Target> => {
  const server: Server = tls ? createTlsServer(certificate(tls), listener) : createServer(listener);
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { port, [Symbol.asyncDispose]: close };
};

export const greet: RequestListener = (_, response) => void response.end('hello');
