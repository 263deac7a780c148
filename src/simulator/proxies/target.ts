// Resolves the host names of the simulated target, and answers requests to it by their path.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { CODES, type Refusal } from './codes.ts';
import type { Exit } from './gateway.ts';
import type { HostPort } from './simulated-proxy.ts';

/** Ports of the simulated target on 127.0.0.1. */
export interface TargetPorts {
  readonly http: number;
  readonly https: number;
}

export const ADDRESS_SERVICE = 'ip-api.com';
const SERVED = /(^|\.)(example|example\.com)$/;
const HOST_NAME =
  /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*\.?$/i;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i;

/** Returns where to connect. The simulated proxies never leave this machine. */
export const resolveTarget = ({ host, port }: HostPort, ports: TargetPorts): HostPort | Refusal => {
  if (port < 1 || port > 65_535) return { code: CODES.invalidTarget };
  if (LOOPBACK.test(host)) return { host: host === 'localhost' ? '127.0.0.1' : host, port };
  if (isIP(host) !== 0) return { code: CODES.unreachableTarget };
  if (!HOST_NAME.test(host)) return { code: CODES.invalidTarget };
  if (!SERVED.test(host.toLowerCase()) && host !== ADDRESS_SERVICE) return { code: CODES.unresolvedTarget };
  if (port === 443) return { host: '127.0.0.1', port: ports.https };
  return port === 80 ? { host: '127.0.0.1', port: ports.http } : { code: CODES.refusedTarget };
};

const BODY_LIMIT = 16 * 1_024 * 1_024;
const MAX_DELAY_MS = 600_000;

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string | Buffer;
  readonly delayMs?: number;
}

/** `exit` is undefined if the client did not come through a simulated proxy. `status` overrides that of the path. */
export const answerTarget = (
  request: IncomingMessage,
  response: ServerResponse,
  exit: Exit | undefined,
  status: number | undefined,
): void => {
  request.resume();
  const address = exit?.address ?? request.socket.remoteAddress ?? '';
  const answer = answerOf(request, { address, country: exit?.country ?? null });
  const send = (): void => {
    response.writeHead(status ?? answer.status, {
      'content-type': answer.type ?? 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(answer.body),
    });
    response.end(answer.body);
  };
  if (answer.delayMs === undefined) send();
  else {
    const timer = setTimeout(send, answer.delayMs);
    request.socket.once('close', () => clearTimeout(timer));
  }
};

interface Client {
  readonly address: string;
  readonly country: string | null;
}

/**
 * - `/`, `/health`: 200
 * - `/status/503`: this status
 * - `/body?text=…`: this body; `/bytes/1000`: a body of this length
 * - `/slow/2000`: 200 after this many milliseconds of real time
 * - `/ip`: the address of the client; `/ip.json` and `/json`: with its country
 * - `/headers`: the headers of the request
 */
const answerOf = (request: IncomingMessage, client: Client): Answer => {
  const url = new URL(request.url ?? '/', 'http://target');
  const [, first = '', second = ''] = url.pathname.split('/');
  const number = /^\d{1,9}$/.test(second) ? Number(second) : undefined;
  switch (first) {
    case '':
    case 'health':
      return { status: 200, body: 'ok\n' };
    case 'status':
      return statusAnswer(number);
    case 'body':
      return { status: 200, body: url.searchParams.get('text') ?? '' };
    case 'bytes':
      return { status: 200, body: Buffer.alloc(Math.min(number ?? 0, BODY_LIMIT), 'x') };
    case 'slow':
      return { status: 200, body: 'ok\n', delayMs: Math.min(number ?? 0, MAX_DELAY_MS) };
    case 'headers':
      return json(request.headers);
    default:
      return addressAnswer(first, client);
  }
};

const statusAnswer = (status: number | undefined): Answer =>
  status !== undefined && status >= 200 && status <= 599
    ? { status, body: status === 204 || status === 304 ? '' : `${status}\n` }
    : NOT_FOUND;

/** `/json` has the names of ip-api.com. */
const addressAnswer = (path: string, { address, country }: Client): Answer => {
  switch (path) {
    case 'ip':
      return { status: 200, body: `${address}\n` };
    case 'ip.json':
      return json({ ip: address, country });
    case 'json':
      return json({ status: 'success', query: address, countryCode: country?.toUpperCase() ?? null });
    default:
      return NOT_FOUND;
  }
};

const NOT_FOUND: Answer = { status: 404, body: 'not found\n' };

const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
});
