// Applies web.yml to the server: TLS for connections, passwords for requests, headers for answers.

import type { ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { SECOND } from '../../lib/time.ts';
import { BasicAuth } from './basic-auth.ts';
import { mayConnect, requestsCertificate } from './client-certificate.ts';
import { closeSignalOf } from './close-signal.ts';
import { RateLimiter } from './rate-limiter.ts';
import { RejectionLog } from './rejection-log.ts';
import type { WatchedWebConfig } from './watched-web-config.ts';

const HANDSHAKE_TIMEOUT_MS = 10 * SECOND;
/** After this time, some of the waiting passwords have been checked. */
const BUSY_WAIT_MS = 5 * SECOND;
const CHALLENGE = 'Basic realm="proxywatch", charset="UTF-8"';

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

/** Must be called before any other hook can answer. */
export const protect = (app: FastifyInstance, web: WatchedWebConfig, clock: Clock, log: Log): void => {
  const limiter = new RateLimiter(clock);
  const rejections = new RejectionLog(clock, log);
  const auth = new BasicAuth();
  app.addHook('onRequest', async ({ headers, ip, raw }, reply) => {
    const { rateLimit, users } = web.current();
    const waitMs = limiter.waitFor(rateLimit);
    if (waitMs > 0) return rejectForNow(reply, waitMs, 'too many requests');
    if (users.size === 0) return;
    const verdict = await auth.check(users, headers.authorization, closeSignalOf(raw.socket));
    if (verdict === 'busy') {
      rejections.rejected(ip);
      return rejectForNow(reply, BUSY_WAIT_MS, 'too many passwords are being checked');
    }
    rejections.accepted();
    if (verdict === 'rejected') return challenge(reply);
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(web.current().headers);
  });
};

const rejectForNow = (reply: FastifyReply, waitMs: number, error: string): FastifyReply => {
  if (Number.isFinite(waitMs)) reply.header('retry-after', Math.ceil(waitMs / SECOND));
  return reply.code(429).send({ error });
};

const challenge = (reply: FastifyReply): FastifyReply =>
  reply
    .code(401)
    .header('www-authenticate', CHALLENGE)
    .send({ error: 'a user name and a password are needed' });
