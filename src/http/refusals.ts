// Answers to requests that can't be served, and to those that should have been: never with a stack trace.

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { Log } from '../lib/log.ts';
import { pathOf } from './path.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST'];

export const answerRefusals = (app: FastifyInstance, log: Log): void => {
  // Before the body is read, lest its type or length be found at fault instead.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const url = pathOf(request.url);
    const allowed = METHODS.filter((method) => app.hasRoute({ method, url }));
    if (allowed.length === 0) return reply.code(404).send({ error: 'not found' });
    const allow = allowed.join(', ');
    return reply
      .code(405)
      .header('allow', allow)
      .send({ error: `method not allowed, only ${allow}` });
  });
  app.setErrorHandler((error, { method, url }, reply) => {
    const { message, stack } = error as Error;
    log.error({ method, path: pathOf(url), error: message, stack }, 'request failed');
    // A body that failed before it began has left its headers.
    reply.removeHeader('content-encoding').type(JSON_TYPE);
    return reply.code(500).send({ error: 'internal error, see the log of proxywatch' });
  });
};

/** A path that can't be decoded; no hook has run. */
export const refuseBadUrl = (response: ServerResponse): void => {
  const body = bodyOf('the path is not a valid URL');
  response.writeHead(400, headersOf(body)).end(body);
};

/** What is no HTTP, too large or too slow: Node's parser gave up on it, so the answer is written by hand. */
export const refuseMalformed = (error: Error & { readonly code: string }, socket: Socket): void => {
  // Who did not come through a handshake of TLS cannot be told anything.
  if (!socket.writable || /^(ECONNRESET$|ERR_SSL_|ERR_TLS_)/.test(error.code)) {
    socket.destroy();
    return;
  }
  const { status, text } = MALFORMED[error.code] ?? { status: 400, text: 'the request is not valid HTTP' };
  const body = bodyOf(text);
  const headers = Object.entries({ ...headersOf(body), connection: 'close' });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
};

const MALFORMED: Readonly<Record<string, { readonly status: number; readonly text: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, text: 'the headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, text: 'the request took too long to arrive' },
};

const bodyOf = (error: string): string => JSON.stringify({ error });

const headersOf = (body: string): Readonly<Record<string, string | number>> => ({
  ...SECURITY_HEADERS,
  'content-type': JSON_TYPE,
  'content-length': Buffer.byteLength(body),
});
