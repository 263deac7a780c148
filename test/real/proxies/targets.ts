// Starts the targets of probes on loopback: good ones, with each kind of certificate, and broken ones.

import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { keyPairOf } from './certificates.ts';
import { startFullTarget } from './full-target.ts';
import { type Listening, listen, serveSockets } from './listening.ts';

/** Only the proxies know these names, and all of them mean this machine. */
export const TARGET_NAMES = {
  '127.0.0.1': [
    'check.example',
    'expired.example',
    'wrong-name.example',
    'unknown-ca.example',
    'blocked.example',
  ],
  '::1': ['six.example'],
} as const;

/** An address of this machine that no target uses, and that some proxies refuse. */
export const REFUSED_ADDRESS = '127.0.0.2';

/** No program listens on this port of loopback addresses. */
export const CLOSED_PORT = 1;

export const BODY = 'everything is ready';

/** More than all buffers between target and prober take. */
const LARGE_BODY = Buffer.alloc(32e6, 'x');

/** The ports of the targets. Those with a 6 listen on ::1, and the others on 127.0.0.1. */
export type TargetPorts = Readonly<
  Record<
    'https' | 'https6' | 'http' | 'http6' | 'silent' | 'full' | 'garbage' | 'closing' | 'resetting',
    number
  >
>;

const respond: RequestListener = (request, response) => {
  response.setHeader('x-check', 'ready').setHeader('connection', 'close');
  const [, path = '', value = ''] = (request.url ?? '').split('/');
  if (path === 'status') response.writeHead(Number(value)).end(BODY);
  else if (path === 'large') response.end(LARGE_BODY);
  else if (path === 'endless') response.write('the rest never follows');
  else if (path !== 'slow') response.end(BODY);
};

/** The certificate by the name that the client asks for; without a name, the good one. */
const contextByName = (): ((name: string) => SecureContext) => {
  const contextOf = (...[name]: Parameters<typeof keyPairOf>) => createSecureContext(keyPairOf(name));
  const special = new Map([
    ['expired.example', contextOf('expired')],
    ['wrong-name.example', contextOf('wrong-name')],
    ['unknown-ca.example', contextOf('unknown')],
  ]);
  const good = contextOf('target');
  return (name) => special.get(name) ?? good;
};

const startHttps = (host: string): Promise<Listening> => {
  const contextOf = contextByName();
  const options = {
    ...keyPairOf('target'),
    SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) =>
      done(null, contextOf(name)),
  };
  return listen(
    createHttpsServer(options, respond).on('tlsClientError', () => {}),
    host,
  );
};

/** A greeting as of another protocol, also before the client has sent anything. */
const GARBAGE = 'SSH-2.0-OpenSSH_9.2\r\n';

export const startTargets = async (): Promise<{ readonly ports: TargetPorts } & AsyncDisposable> => {
  await using stack = new AsyncDisposableStack();
  const portOf = async (started: Promise<Listening>): Promise<number> => stack.use(await started).port;
  const ports = {
    https: await portOf(startHttps('127.0.0.1')),
    https6: await portOf(startHttps('::1')),
    http: await portOf(listen(createHttpServer(respond), '127.0.0.1')),
    http6: await portOf(listen(createHttpServer(respond), '::1')),
    silent: await portOf(
      serveSockets('127.0.0.1', (socket) => socket.resume().on('end', () => socket.end())),
    ),
    full: await portOf(startFullTarget()),
    garbage: await portOf(serveSockets('127.0.0.1', (socket) => socket.resume().end(GARBAGE))),
    closing: await portOf(serveSockets('127.0.0.1', (socket) => socket.once('data', () => socket.destroy()))),
    resetting: await portOf(
      serveSockets('127.0.0.1', (socket) => socket.once('data', () => socket.resetAndDestroy())),
    ),
  };
  const kept = stack.move();
  return { ports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};
