// The server by web.yml: TLS for its connections, passwords for its requests, headers for its answers.

import { createServer, type Server } from 'node:https';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { SECOND } from '../../lib/time.ts';
import { BasicAuth } from './basic-auth.ts';
import { asksForCertificate, mayConnect } from './client-certificate.ts';
import type { WebConfig } from './load.ts';
import type { WatchedWebConfig } from './watched.ts';

const HANDSHAKE_TIMEOUT_MS = 10 * SECOND;
const CHALLENGE = 'Basic realm="proxywatch", charset="UTF-8"';

type Factory = NonNullable<FastifyHttpOptions<Server>['serverFactory']>;

/** As Fastify gives them to the servers that it makes itself (ms). */
export interface Timeouts {
  readonly requestTimeout: number;
  readonly connectionTimeout: number;
  readonly keepAliveTimeout: number;
}

/** Undefined where web.yml has no TLS. */
export const tlsServerFactory = (
  web: WatchedWebConfig,
  { requestTimeout, connectionTimeout, keepAliveTimeout }: Timeouts,
): Factory | undefined => {
  const { tls } = web.present();
  if (!tls) return undefined;
  return (handler) => {
    // Certificates are judged below, by the terms of the moment.
    const judged = { requestCert: asksForCertificate(tls), rejectUnauthorized: false };
    const options = { ...tls.context, ...judged, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
    const server = createServer({ ...options, requestTimeout, keepAliveTimeout }, handler);
    server.setTimeout(connectionTimeout);
    keepUpWith(web, server);
    return server;
  };
};

/** Before the handshake the certificates of the moment, after it the terms of the moment. */
const keepUpWith = (web: WatchedWebConfig, server: Server): void => {
  let used = web.present();
  server.prependListener('connection', () => {
    const present = web.present();
    if (present === used || !present.tls) return;
    server.setSecureContext(present.tls.context);
    used = present;
  });
  server.prependListener('secureConnection', (socket) => {
    const { tls } = web.present();
    if (!tls || !mayConnect(socket, tls)) socket.destroy();
  });
};

/** To be called before any other hook can answer. */
export const protect = (app: FastifyInstance, web: WatchedWebConfig): void => {
  const authOf = authByConfig();
  app.addHook('onRequest', async ({ headers }, reply) => {
    const auth = authOf(web.present());
    if (!auth || (await auth.permits(headers.authorization))) return;
    return reply
      .code(401)
      .header('www-authenticate', CHALLENGE)
      .send({ error: 'a user name and a password are needed' });
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(web.present().headers);
  });
};

/** Who was let in is known until the configuration is another one. */
const authByConfig = (): ((config: WebConfig) => BasicAuth | undefined) => {
  let made: { readonly config: WebConfig; readonly auth: BasicAuth | undefined } | undefined;
  return (config) => {
    if (made?.config !== config) {
      made = { config, auth: config.users.size > 0 ? new BasicAuth(config.users) : undefined };
    }
    return made.auth;
  };
};
