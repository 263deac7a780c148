// Limits connections. When there are too many, the least useful ones make room, so that a new client is always served.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE } from '../lib/time.ts';
import { afterDelay } from '../lib/turns.ts';
import {
  ANSWER_TIMEOUT_MS,
  MAX_CONNECTIONS,
  MAX_PIPELINED,
  MAX_SILENT_CONNECTIONS,
  MAX_UNREAD_TEXT,
} from './limits.ts';

interface Connection {
  readonly key: string;
  readonly client: string | undefined;
  readonly socket: Socket;
  /** Requests that wait for the answer to the one before them. */
  readonly pipelined: (() => void)[];
  answers: number;
  answer: ServerResponse | undefined;
  /** Ends the connection if the client does not read the current answer. */
  timeLimit: Disposable | undefined;
  unreadText: number;
}

export class Connections {
  readonly #clock: Clock;
  readonly #turnedAway: TurnedAway;
  readonly #all = new Map<string, Connection>();
  /** In these sets, the connection that has been in this state for the longest time comes first. */
  readonly #silent = new Set<Connection>();
  readonly #idle = new Set<Connection>();
  readonly #answering = new Set<Connection>();
  #unreadText = 0;

  /** Must be created before other hooks are added, because its hook comes first. */
  constructor(app: FastifyInstance, clock: Clock, turnedAway: TurnedAway) {
    this.#clock = clock;
    this.#turnedAway = turnedAway;
    app.server.on('connection', (socket: Socket) => {
      this.#open(socket);
    });
    app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, next) => {
      const connection = this.#all.get(keyOf(socket));
      // The connection has just been ended, so nobody waits for the answer.
      if (!connection) return;
      const begin = (): void => this.#answer(connection, response, next);
      response.once('close', () => this.#answered(connection));
      if (!connection.answer) begin();
      else if (connection.pipelined.push(begin) >= MAX_PIPELINED) this.#turnAway(connection);
    });
    app.addHook('onSend', async ({ raw: { socket } }, { raw: response }, payload) => {
      const connection = this.#all.get(keyOf(socket));
      if (connection?.answer !== response) return;
      connection.timeLimit = afterDelay(this.#clock, ANSWER_TIMEOUT_MS, () => this.#end(connection));
      if (typeof payload === 'string') this.#limitUnreadText(connection, payload.length);
    });
  }

  /** Whether the client would take the next bytes for a part of the answer to an earlier request. */
  owesAnswer(socket: Socket): boolean {
    const { answer, pipelined = [] } = this.#all.get(keyOf(socket)) ?? {};
    return answer !== undefined && (answer.headersSent || answer.req.complete || pipelined.length > 0);
  }

  #open(socket: Socket): void {
    const identity = { key: keyOf(socket), client: socket.remoteAddress, socket };
    const connection: Connection = {
      ...identity,
      pipelined: [],
      answers: 0,
      answer: undefined,
      timeLimit: undefined,
      unreadText: 0,
    };
    this.#all.set(connection.key, connection);
    this.#silent.add(connection);
    socket.once('close', () => this.#end(connection));
    if (this.#silent.size > MAX_SILENT_CONNECTIONS) this.#turnAwayOneOf(this.#silent);
    if (this.#all.size > MAX_CONNECTIONS) this.#turnAwayOneOf(this.#largerGroup());
  }

  #answer(connection: Connection, answer: ServerResponse, next: () => void): void {
    connection.answer = answer;
    this.#silent.delete(connection);
    this.#idle.delete(connection);
    this.#answering.add(connection);
    next();
  }

  #answered(connection: Connection): void {
    this.#forgetAnswer(connection);
    if (connection.socket.destroyed) return;
    connection.answers += 1;
    const begin = connection.pipelined.shift();
    if (begin) {
      begin();
    } else {
      connection.answer = undefined;
      this.#answering.delete(connection);
      this.#idle.add(connection);
    }
  }

  /** Texts are made for one client each, so they take memory until the client has read them. */
  #limitUnreadText(connection: Connection, length: number): void {
    connection.unreadText += length;
    this.#unreadText += length;
    for (const other of this.#answering) {
      if (this.#unreadText <= MAX_UNREAD_TEXT) return;
      if (other !== connection && other.unreadText > 0) this.#turnAway(other);
    }
  }

  #forgetAnswer(connection: Connection): void {
    connection.timeLimit?.[Symbol.dispose]();
    this.#unreadText -= connection.unreadText;
    Object.assign(connection, { timeLimit: undefined, unreadText: 0 });
  }

  /** A flood of one kind does not displace the clients of the other kind. */
  #largerGroup(): ReadonlySet<Connection> {
    return this.#idle.size >= this.#answering.size ? this.#idle : this.#answering;
  }

  /** Clients that come back again and again, such as Prometheus, stay. Of the others, the oldest one goes. */
  #turnAwayOneOf(group: ReadonlySet<Connection>): void {
    let chosen: Connection | undefined;
    for (const each of group) if (!chosen || each.answers < chosen.answers) chosen = each;
    if (chosen) this.#turnAway(chosen);
  }

  #turnAway(connection: Connection): void {
    this.#turnedAway.note(connection.client);
    this.#end(connection);
  }

  #end(connection: Connection): void {
    if (this.#all.get(connection.key) === connection) this.#all.delete(connection.key);
    for (const set of [this.#silent, this.#idle, this.#answering]) set.delete(connection);
    this.#forgetAnswer(connection);
    connection.pipelined.length = 0;
    connection.socket.destroy();
  }
}

/** Two sockets may belong to one connection: TLS and the one below. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** It has ended when no client was turned away for this long. */
const QUIET_MS = MINUTE;

const BEGIN =
  'too many clients, or too slow ones: some get 503 or are disconnected. Find out what this client does, and protect server.listen with a firewall or a reverse proxy';

export class TurnedAway implements Disposable {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stop = new AbortController();
  #count = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  note(client: string | undefined): void {
    this.#count += 1;
    if (this.#count > 1) return;
    this.#log.warn({ client }, BEGIN);
    // The wait is rejected only if the server stops.
    this.#untilQuiet().catch(() => {});
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #untilQuiet(): Promise<void> {
    for (let counted = 0; counted < this.#count; ) {
      counted = this.#count;
      await this.#clock.sleep(QUIET_MS, this.#stop.signal);
    }
    this.#log.info({ turnedAway: this.#count }, 'for a minute no client had to be turned away');
    this.#count = 0;
  }
}
