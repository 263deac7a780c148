// Handles one HTTP request: it checks keys and the rate limit, calls the route and applies faults.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type AdminContext, handleAdminRequest } from './admin.ts';
import { applyBodyFaults, delayOf, pageShiftOf, throwErrorFault } from './faults/fault-effects.ts';
import type { Fault } from './faults/faults.ts';
import { HttpError, type Route } from './http.ts';
import type { Scenario } from './scenario.ts';

export interface ServerContext extends AdminContext {
  readonly scenario: Scenario;
  readonly keys: { readonly publicKey: string; readonly privateKey: string };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Throws HttpError 429. */
  readonly checkRateLimit: (at: number) => void;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}

interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const API = '/1.0/public/user/';
const HTML_ERROR_PAGE = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';

export const serve = async (
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { method = 'GET', headers } = request;
  const url = new URL(request.url ?? '/', 'http://simulator');
  const received = { method, url, headers, text: await readText(request) };
  // The provider uses the injected clock, also in its Date header.
  response.setHeader('date', new Date(context.now()).toUTCString());
  if (url.pathname.startsWith('/-/'))
    send(response, await replyTo(() => handleAdminRequest(context, method, url, parseJson(received.text))));
  else await serveApi(context, received, response);
};

const serveApi = async (
  context: ServerContext,
  received: ReceivedRequest,
  response: ServerResponse,
): Promise<void> => {
  const { url, headers, text: body } = received;
  const resolved = resolveEndpoint(context.routes, url.pathname);
  const { endpoint } = resolved;
  const query = Object.fromEntries(url.searchParams);
  const record = { endpoint, status: 0, at: context.now(), query, headers, body };
  context.requests.begin(record);
  let status = 0;
  try {
    const faults = context.faults.takeMatching(endpoint, url.search);
    await delayReply(context, endpoint, faults);
    const reply = applyReplyFaults(
      await replyTo(() => handleRequest(context, received, resolved, faults)),
      faults,
    );
    status = reply.status;
    if (faults.some(({ kind }) => kind === 'cut_off')) cutOff(response, reply);
    else send(response, reply);
  } finally {
    context.requests.end(record, status);
  }
};

/** `endpoint` is the name in counts and faults. It is the path itself if there is no such endpoint. */
const resolveEndpoint = (routes: readonly Route[], path: string) => {
  const name = path.startsWith(API) ? path.slice(API.length) : path;
  const id = name.slice(name.lastIndexOf('/') + 1);
  const parent = name.slice(0, -id.length - 1);
  const withoutId = routes.filter((route) => !route.takesId && route.endpoint === name);
  const withId = routes.filter((route) => route.takesId && route.endpoint === parent);
  if (withId.length > 0) return { endpoint: parent, routes: withId, id };
  return { endpoint: name, routes: withoutId, id: '' };
};

const delayReply = async (
  { scenario, closing }: ServerContext,
  endpoint: string,
  faults: readonly Fault[],
): Promise<void> => {
  const testRun = endpoint === 'proxy_test_run/create' ? scenario.test_run_delay_ms : 0;
  const ms = scenario.response_delay_ms + testRun + delayOf(faults);
  if (ms > 0) await delay(ms, undefined, { signal: closing });
};

const handleRequest = (
  context: ServerContext,
  received: ReceivedRequest,
  { routes, id }: ReturnType<typeof resolveEndpoint>,
  faults: readonly Fault[],
): unknown => {
  const at = context.now();
  authenticate(context.keys, received.headers);
  context.checkRateLimit(at);
  throwErrorFault(faults);
  if (routes.length === 0) throw new HttpError(404, 'Not found.');
  const route = routes.find(({ method }) => method === received.method);
  if (!route) throw new HttpError(405, 'Method not allowed.');
  const body = route.method === 'POST' ? parseJson(received.text) : undefined;
  const call = { id, query: received.url.searchParams, body, at, pageShift: pageShiftOf(faults) };
  return applyBodyFaults(route.handle(call), faults);
};

const authenticate = (keys: ServerContext['keys'], headers: ReceivedRequest['headers']): void => {
  const hasKeys =
    headers['x-api-public-key'] === keys.publicKey && headers['x-api-private-key'] === keys.privateKey;
  if (!hasKeys) throw new HttpError(401, 'API key authentication is required.');
};

const parseJson = (text: string): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
};

const replyTo = async (handle: () => unknown): Promise<Reply> => {
  try {
    return { status: 200, text: JSON.stringify(await handle()) };
  } catch (error) {
    // Any other error is a bug in the simulator, so the answer is a 500 with its message.
    const httpError = error instanceof HttpError ? error : new HttpError(500, String(error));
    return {
      status: httpError.status,
      text: JSON.stringify(httpError.body(randomUUID())),
      headers: httpError.headers,
    };
  }
};

const applyReplyFaults = (reply: Reply, faults: readonly Fault[]): Reply => {
  const html = faults.find((fault) => fault.kind === 'html');
  if (html) return { status: html.status, text: HTML_ERROR_PAGE, headers: { 'content-type': 'text/html' } };
  if (!faults.some(({ kind }) => kind === 'malformed_json')) return reply;
  return { ...reply, text: reply.text.slice(0, reply.text.length / 2) };
};

const send = (response: ServerResponse, { status, text, headers }: Reply): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
};

const cutOff = (response: ServerResponse, { status, text, headers }: Reply): void => {
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
};
