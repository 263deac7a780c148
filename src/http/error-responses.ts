// Answers requests that cannot be served or that failed, never with a stack trace.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../lib/log.ts';
import { BusyError } from '../lib/turns.ts';
import { ApiError } from './api/route.ts';
import type { TurnedAway } from './connections.ts';
import { RETRY_AFTER_S } from './limits.ts';
import { loggedPath, pathOf } from './query.ts';

// An import of node:http from an ES module evaluates all of its exports, and the export WebSocket loads a second HTTP
// client, which takes 12 MB of memory.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const JSON_TYPE = 'application/json; charset=utf-8';

export const addErrorHandlers = (app: FastifyInstance, log: Log, turnedAway: TurnedAway): void => {
  // Fastify can look up only patterns of paths, and rejects some paths as wrong patterns.
  const methods = new Map<string, readonly string[]>();
  app.addHook('onRoute', ({ method, url }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()]);
  });
  // This runs before the body is read, so that its type or length causes no other error first.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const allowed = methods.get(pathOf(request.url));
    if (!allowed) return reply.code(404).send({ error: 'not found' });
    const allow = allowed.toSorted().join(', ');
    return reply
      .code(405)
      .header('allow', allow)
      .send({ error: `method not allowed; use ${allow}` });
  });
  app.setErrorHandler((error, request, reply) => {
    const { method, ip } = request;
    const { message, stack } = error as Error;
    if (error instanceof ApiError) return reply.code(error.status).send({ error: message });
    if (error instanceof BusyError) {
      turnedAway.note(ip);
      return reply.code(503).header('retry-after', RETRY_AFTER_S).send({ error: message });
    }
    const invalidBody = INVALID_BODIES[(error as { readonly code?: string }).code ?? ''];
    if (invalidBody) return reply.code(invalidBody.status).send({ error: invalidBody.text });
    log.error({ method, path: loggedPath(request), error: message, stack }, 'request failed');
    // A body that failed before it began has already set its headers.
    reply.removeHeader('content-encoding').type(JSON_TYPE);
    return reply.code(500).send({ error: 'internal error; read the log of proxywatch' });
  });
};

/** Fastify's errors about bodies. */
const INVALID_BODIES: Readonly<Record<string, { readonly status: number; readonly text: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, text: 'the body of the request is too large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    text: 'send the body as JSON, with the header Content-Type: application/json',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, text: 'the request has no body; send a JSON object' },
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, text: 'the body of the request is not valid JSON' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, text: 'the body is not as long as Content-Length says' },
};

/** Answers a path that cannot be decoded. No hook has run before. */
export const respondToBadUrl = (response: ServerResponse): void => {
  const body = bodyOf('the path is not a valid URL');
  response.writeHead(400, headersOf(body)).end(body);
};

/**
 * Answers a request that is not HTTP, too large or too slow. Node's parser has given up, so the answer is built by hand.
 * While the client waits for the answer to an earlier request, it would take this answer for a part of the other one.
 */
export const respondToMalformed = (
  error: Error & { readonly code: string },
  socket: Socket,
  owesAnswer: boolean,
): void => {
  // A client that failed the TLS handshake cannot read an answer.
  if (owesAnswer || !socket.writable || /^(ECONNRESET$|ERR_SSL_|ERR_TLS_)/.test(error.code)) {
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
