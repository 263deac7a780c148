// Applies web.yml: the rate limit, passwords and headers. A reader may see everything, and change nothing.

import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mistakeIf, type SettingMistake } from '../../config/config-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { BasicAuth, userIn } from './basic-auth.ts';
import type { RateLimit, WatchedWebConfig } from './load.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the user that sent the request is a reader. Undefined without web.yml. */
    isReader?: boolean;
  }
}

const READING_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Every other method is refused, so a route that is added later is too. Returns undefined if the request may pass. */
const refuseReader = (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined =>
  READING_METHODS.includes(request.method) && !request.routeOptions.config?.acts
    ? undefined
    : reply.code(403).send({ error: REFUSAL });

const REFUSAL =
  'this user is one of server.readers, so it can read everything and change nothing; log in as another user';

/** `users` are the names in web.yml; undefined if no file is configured. */
export const readerMistakes = (
  readers: readonly string[],
  users: readonly string[] | undefined,
): SettingMistake[] => {
  if (users === undefined)
    return mistakeIf(
      readers.length > 0,
      ['server', 'readers'],
      'this needs server.web_config_file, which has the users and their passwords',
    );
  return readers.flatMap((reader, index) =>
    mistakeIf(
      !users.includes(reader),
      ['server', 'readers', index],
      `"${reader}" is not a user in basic_auth_users of server.web_config_file; add the user there, or remove the name here`,
    ),
  );
};

/** After this time, some of the waiting passwords have been checked. */
const BUSY_WAIT_MS = 5 * SECOND;
const CHALLENGE = 'Basic realm="proxywatch", charset="UTF-8"';

export interface Protection {
  readonly web: WatchedWebConfig;
  /** Returns the names of the users that may only read, which a reload can change. */
  readonly readers: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Must be called before any other hook can answer. */
export const protect = (app: FastifyInstance, { web, readers, clock, log }: Protection): void => {
  const limiter = new RateLimiter(clock);
  const rejections = new RejectionLog(clock, log);
  const auth = new BasicAuth();
  app.addHook('onRequest', async (request, reply) => {
    const { headers, ip, raw } = request;
    const { rateLimit, users } = web.current();
    const waitMs = limiter.waitFor(rateLimit);
    if (waitMs > 0) return rejectForNow(reply, waitMs, 'too many requests');
    if (request.routeOptions.config?.isPublic) return;
    // A web.yml that loses its users must not turn readers into operators.
    if (users.size === 0 && readers().length === 0) return;
    const verdict = await auth.check(users, headers.authorization, closeSignalOf(raw.socket));
    if (verdict === 'busy') {
      rejections.rejected(ip);
      return rejectForNow(reply, BUSY_WAIT_MS, 'too many passwords are being checked');
    }
    rejections.accepted();
    if (verdict === 'rejected') return challenge(reply);
    request.isReader = readers().includes(userIn(headers.authorization) ?? '');
    return request.isReader ? refuseReader(request, reply) : undefined;
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

/** One for each connection, because a listener for each request would add up on a connection that is used again. */
const signals = new WeakMap<Socket, AbortSignal>();

/** Returns a signal that aborts when the client has closed its connection. */
const closeSignalOf = (socket: Socket): AbortSignal => {
  const known = signals.get(socket);
  if (known) return known;
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  signals.set(socket, controller.signal);
  return controller.signal;
};

/** Guesses come and go, so a shorter pause is not an end. */
const QUIET_MS = MINUTE;

/** Logs once when passwords begin to be rejected because too many wait, and once when that has ended. */
class RejectionLog {
  readonly #clock: Clock;
  readonly #log: Log;
  #lastAt: number | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `address` is that of the client. */
  rejected(address: string): void {
    if (this.#lastAt === undefined) {
      this.#log.warn(
        { address },
        'too many passwords wait for their check; proxywatch answers further ones with 429; find out whether this client tries passwords',
      );
    }
    this.#lastAt = this.#clock.monotonic();
  }

  accepted(): void {
    if (this.#lastAt === undefined || this.#clock.monotonic() - this.#lastAt < QUIET_MS) return;
    this.#lastAt = undefined;
    this.#log.info({}, 'proxywatch checks all passwords again');
  }
}

export class RateLimiter {
  readonly #clock: Clock;
  #limit: RateLimit | null = null;
  #tokens = 0;
  #filledAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns 0 if the request is allowed, or else when the next one will be (ms). The bucket of a new limit is full. */
  waitFor(limit: RateLimit | null): number {
    if (limit === null) {
      this.#limit = null;
      return 0;
    }
    this.#fill(limit);
    if (this.#tokens < 1) return limit.burst === 0 ? Number.POSITIVE_INFINITY : this.#timeToNext(limit);
    this.#tokens -= 1;
    return 0;
  }

  #fill(limit: RateLimit): void {
    const now = this.#clock.monotonic();
    const isSame = this.#limit?.intervalMs === limit.intervalMs && this.#limit.burst === limit.burst;
    const gained = isSame ? (now - this.#filledAt) / limit.intervalMs : limit.burst;
    this.#tokens = Math.min(limit.burst, (isSame ? this.#tokens : 0) + gained);
    this.#filledAt = now;
    this.#limit = limit;
  }

  #timeToNext({ intervalMs }: RateLimit): number {
    return (1 - this.#tokens) * intervalMs;
  }
}
