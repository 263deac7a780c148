// Creates the server of TLS connections, which compares the certificates of clients with the requirements of web.yml.

import type { X509Certificate } from 'node:crypto';
import type { ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import { isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { FastifyHttpOptions } from 'fastify';
import { SECOND } from '../../lib/time.ts';
import { requestsCertificate, type WatchedWebConfig } from './load.ts';
import type { ServerTls } from './tls.ts';

const HANDSHAKE_TIMEOUT_MS = 10 * SECOND;

type Factory = NonNullable<FastifyHttpOptions<Server>['serverFactory']>;

/** The limits of the servers that Fastify creates itself. */
export interface ServerLimits extends ServerOptions {
  readonly connectionTimeout: number;
}

/** Returns undefined if web.yml has no TLS. */
export const tlsServerFactory = (
  web: WatchedWebConfig,
  { connectionTimeout, ...limits }: ServerLimits,
): Factory | undefined => {
  const { tls } = web.current();
  if (!tls) return undefined;
  return (handler) => {
    // Certificates are checked in applyChanges by the current settings.
    const certificateOptions = { requestCert: requestsCertificate(tls), rejectUnauthorized: false };
    const options = { ...tls.context, ...certificateOptions, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
    const server = createServer({ ...options, ...limits }, handler);
    server.setTimeout(connectionTimeout);
    applyChanges(web, server);
    return server;
  };
};

/** Uses the current certificates for each handshake, and checks the client by the current settings after it. */
const applyChanges = (web: WatchedWebConfig, server: Server): void => {
  let applied = web.current();
  server.prependListener('connection', () => {
    const current = web.current();
    if (current === applied || !current.tls) return;
    server.setSecureContext(current.tls.context);
    applied = current;
  });
  server.prependListener('secureConnection', (socket) => {
    const { tls } = web.current();
    if (!tls || !mayConnect(socket, tls)) socket.destroy();
  });
};

/** Whether the client may connect. `socket` has finished the handshake and verified the client's certificate, if any. */
const mayConnect = (socket: TLSSocket, { clientAuth, clientSans }: ServerTls): boolean => {
  const certificate = socket.getPeerX509Certificate();
  switch (clientAuth) {
    case 'NoClientCert':
    case 'RequestClientCert':
      return true;
    case 'RequireAnyClientCert':
      return certificate !== undefined && hasAllowedName(certificate, clientSans);
    case 'VerifyClientCertIfGiven':
      return certificate === undefined || socket.authorized;
    case 'RequireAndVerifyClientCert':
      return certificate !== undefined && socket.authorized && hasAllowedName(certificate, clientSans);
  }
};

const hasAllowedName = (
  { subjectAltName }: X509Certificate,
  allowed: readonly string[] | undefined,
): boolean => allowed === undefined || namesIn(subjectAltName).some((name) => allowed.includes(name));

const KINDS = ['DNS', 'IP Address', 'URI', 'email'];

const NAME = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy;

/** Node quotes names with unusual characters as JSON, so that no name can be taken for several. */
const namesIn = (subjectAltName = ''): string[] =>
  [...subjectAltName.matchAll(NAME)].flatMap(([, kind = '', name = '']) => {
    if (!KINDS.includes(kind)) return [];
    const text: string = name.startsWith('"') ? JSON.parse(name) : name;
    return kind === 'IP Address' ? shortForm(text) : text;
  });

/** Returns an IPv6 address as Go writes it, such as 2001:db8::7. */
const shortForm = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
