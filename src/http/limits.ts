// Limits what clients can take from the daemon, however many they are and however slowly they send and read.

import type { FastifyReply } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { type TurnLimits, Turns } from '../lib/turns.ts';

/** Limits of Node's HTTP server; each is an option of `http.createServer` or of Fastify. Times are in ms. */
export const SERVER_LIMITS = {
  /** A client that sends its headers slowly keeps a connection, so all of them must have arrived within this time. */
  headersTimeout: 10 * SECOND,
  /** Bodies of requests are small, so the whole request gets no more time than its headers. */
  requestTimeout: 10 * SECOND,
  /** Node's default is 30 s, which would give slow clients four times the time above. */
  connectionsCheckingInterval: 2 * SECOND,
  /** Longer than the usual scrape intervals, so that Prometheus keeps its connection. */
  keepAliveTimeout: 90 * SECOND,
  /** A connection without any traffic is closed after this time, also in the middle of an answer. */
  connectionTimeout: MINUTE,
  /** Node's default, which a flag of Node could raise. Requests for proxywatch have less than 2 KiB of headers. */
  maxHeaderSize: 16 * 1024,
};

/**
 * A client must read an answer within this time (ms). Without this limit, a client that reads one byte at a time would
 * keep an old rendering of the metrics in memory for days. Prometheus waits for a scrape at most one interval, usually
 * 15 s or a minute.
 */
export const ANSWER_TIMEOUT_MS = MINUTE;

/** A connection costs memory and may request a large answer, so there are some dozens more than readers usually need. */
export const MAX_CONNECTIONS = 128;

/**
 * Connections that the system keeps until the server accepts them. Node.js accepts one between two turns of other work, so
 * a new client waits for all of these. With Node's default of 511, it waited for ten seconds.
 */
export const LISTEN_BACKLOG = 64;

/** Connections that have not sent a request yet. They displace only each other, and no client that has sent one. */
export const MAX_SILENT_CONNECTIONS = 64;

/** Requests on one connection that wait for their answers (HTTP pipelining). */
export const MAX_PIPELINED = 32;

/** Text of answers that clients have not read yet, in UTF-16 code units. The largest answers of the API have a few million. */
export const MAX_UNREAD_TEXT = 32 * 1024 * 1024;

/** Readings of the store for the API and the page. The store reads synchronously, so more would only delay each other. */
export const STORE_READS: TurnLimits = {
  running: 4,
  waiting: 100,
  waitMs: 5 * SECOND,
  refusal: 'too many requests at a time; try again',
};

/** When a client that got 503 may try again (s). */
export const RETRY_AFTER_S = 5;

export class StoreReads {
  readonly #turns: Turns;

  constructor(clock: Clock) {
    this.#turns = new Turns(STORE_READS, clock);
  }

  /** The turn ends when the answer has been prepared, and not when the client has read it. Throws BusyError. */
  inTurn(reply: FastifyReply, answer: () => Promise<FastifyReply>): Promise<FastifyReply> {
    const { socket } = reply.request.raw;
    return this.run(() => socket.destroyed, answer);
  }

  /** Throws BusyError. */
  async run<T>(isGone: () => boolean, read: () => Promise<T>): Promise<T> {
    using _ = await this.#turns.take(isGone);
    return await read();
  }
}
