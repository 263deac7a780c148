// Defines the outages: what the provider, its network or its keys do for an hour.

import dns from 'node:dns';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { vi } from 'vitest';
import {
  type FaultyProvider,
  type ProviderAnswer,
  type ProviderRequest,
  type Reaction,
  withBody,
} from '../support/faulty-provider.ts';
import { certificate } from './watched-account.ts';

export interface Outage {
  readonly name: string;
  /** The answer to each request. By default it is the good one. */
  readonly react?: (answer: ProviderAnswer, count: number, request: ProviderRequest) => Reaction;
  /** Begins what no answer can show. Returns a function that ends it. */
  readonly begin?: (provider: FaultyProvider) => () => void;
  /** What the log says about the reason; undefined if the daemon notices nothing. */
  readonly reason: RegExp | undefined;
  /** The alerts that fire, in this order. By default they are not compared. */
  readonly alerts?: readonly string[];
  /** The most warnings and errors in the log, without those about alerts. */
  readonly most: number;
}

/** A failed run, the outage of the account, and the two lists of proxies that the proxy tests cannot read. */
const ONE_OUTAGE = 4;
/** Each endpoint has its own failure: those of 9 collectors, of 3 places, and of the two lists of proxies. */
const EACH_ENDPOINT = 15;

const UNREACHABLE = ['ProviderUnreachable'];
const NO_ANSWER = /no complete answer within 30 s/;

const error =
  (status: number, headers: Record<string, string> = {}) =>
  (answer: ProviderAnswer) =>
    withBody(answer, JSON.stringify({ error: 'Error', message: 'Something went wrong.' }), {
      status,
      headers,
    });

const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const FILLING = Buffer.alloc(1024 * 1024, ' ');
const LONG_BYTES = 1_000_000_000;

/** Writes a long answer for as long as the daemon reads it. */
const long = (): Reaction => ({
  write: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    let written = 0;
    const push = (): void => {
      while (!response.destroyed && written < LONG_BYTES) {
        written += FILLING.length;
        if (!response.write(FILLING)) return;
      }
    };
    response.on('drain', push);
    push();
  },
});

const raw = (head: string, body = ''): Reaction => ({
  write: (response) => response.socket?.end(`${head}${body}`),
});

/** The first bytes of an answer come, and never its end. */
const drip = (answer: ProviderAnswer): Reaction => ({
  write: (response, hold) => {
    const [body = Buffer.of()] = answer.body;
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, 1), hold);
  },
});

/** Breaks the connection in the middle of the body. */
const cut = (answer: ProviderAnswer): Reaction => ({
  write: (response) => {
    const body = Buffer.concat(answer.body);
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  },
});

/** An answer of a server that cannot do better, whose end is the end of the connection. */
const oldHttp = ({ body, status }: ProviderAnswer): Reaction => ({
  write: (response) => {
    response.socket?.write(`HTTP/1.0 ${status} OK\r\ncontent-type: application/json\r\n\r\n`);
    response.socket?.end(Buffer.concat(body));
  },
});

const closeAll = (server: Server | TlsServer): void => server.closeAllConnections();

const presents =
  (name: 'expired' | 'self-signed') =>
  ({ server }: FaultyProvider): (() => void) => {
    const use = (context: SecureContextOptions): void => {
      (server as TlsServer).setSecureContext(context);
      closeAll(server);
    };
    use(certificate(name));
    return () => use(certificate('valid'));
  };

/** Node.js asks the operating system for names by this function. */
const cannotResolve = ({ server }: FaultyProvider): (() => void) => {
  closeAll(server);
  const fail = (hostname: string, _options: unknown, callback: (error: Error) => void): void => {
    const message = `getaddrinfo ENOTFOUND ${hostname}`;
    setImmediate(() => callback(Object.assign(new Error(message), { code: 'ENOTFOUND', hostname })));
  };
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(fail as unknown as typeof dns.lookup);
  return () => spy.mockRestore();
};

/** The provider does not know the keys. */
export const KEYS_REJECTED = error(401);

export const OUTAGES: readonly Outage[] = [
  {
    name: '500',
    react: error(500),
    reason: /answered 500: Something/,
    alerts: UNREACHABLE,
    most: ONE_OUTAGE,
  },
  {
    name: '429 with a pause of five minutes',
    react: error(429, { 'retry-after': '300' }),
    reason: /answered 429/,
    most: ONE_OUTAGE + 2,
  },
  {
    name: '429 to every second request',
    react: (answer, count) => (count % 2 === 0 ? error(429, { 'retry-after': '20' })(answer) : answer),
    reason: /answered 429/,
    most: 10,
  },
  { name: 'a black hole', react: () => 'silence', reason: NO_ANSWER, alerts: UNREACHABLE, most: ONE_OUTAGE },
  {
    name: 'resets in the body',
    react: cut,
    reason: /connection failed/,
    alerts: UNREACHABLE,
    most: ONE_OUTAGE,
  },
  { name: 'a slow drip', react: drip, reason: NO_ANSWER, alerts: UNREACHABLE, most: ONE_OUTAGE },
  {
    name: 'a name that does not resolve',
    begin: cannotResolve,
    reason: /ENOTFOUND/,
    alerts: UNREACHABLE,
    most: ONE_OUTAGE,
  },
  {
    name: 'an expired certificate',
    begin: presents('expired'),
    reason: /CERT_HAS_EXPIRED/,
    alerts: UNREACHABLE,
    most: ONE_OUTAGE,
  },
  {
    name: 'a self-signed certificate',
    begin: presents('self-signed'),
    reason: /DEPTH_ZERO_SELF_SIGNED_CERT/,
    alerts: UNREACHABLE,
    most: ONE_OUTAGE,
  },
  { name: 'HTTP/1.0', react: oldHttp, reason: undefined, alerts: [], most: 0 },
  {
    name: 'chunks without a length',
    react: () => raw(`${RESPONSE}transfer-encoding: chunked\r\n\r\n`, 'many\r\n{}\r\n'),
    reason: /the answer is not HTTP/,
    alerts: UNREACHABLE,
    most: EACH_ENDPOINT,
  },
  {
    name: 'answers of 1 GB',
    react: long,
    reason: /the answer is longer than \d+ MB/,
    alerts: ['CollectorFailing'],
    most: EACH_ENDPOINT,
  },
  {
    name: 'JSON with 200,000 nested lists',
    react: (answer) => withBody(answer, `{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
    reason: /more than 64 nested levels/,
    alerts: ['CollectorFailing'],
    most: EACH_ENDPOINT,
  },
];
