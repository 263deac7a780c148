// One request from the wire to the answer: keys, pace and faults around the routes.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { administer } from './admin.ts';
import { bend, delayOf, pageShiftOf, refuse } from './faults/fault-effects.ts';
import type { Fault, Faults } from './faults/faults.ts';
import { Refusal, type Route } from './http.ts';
import type { Provider } from './provider.ts';
import type { RequestLog } from './request-log.ts';
import type { Scenario } from './scenario.ts';

export interface Site extends Provider {
  readonly scenario: Scenario;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly faults: Faults;
  readonly requests: RequestLog;
  /** Throws Refusal 429. */
  readonly checkPace: (at: number) => void;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Place {
  /** Name in counts and faults; the path itself where there is no such endpoint. */
  readonly endpoint: string;
  readonly routes: readonly Route[];
  readonly id: string;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const API = '/1.0/public/user/';
const PAGE = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';

export const serve = async (
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { method = 'GET', headers } = request;
  const url = new URL(request.url ?? '/', 'http://simulator');
  const asked = { method, url, headers, text: await readText(request) };
  // The provider's clock is the injected one, in its Date header too.
  response.setHeader('date', new Date(site.now()).toUTCString());
  if (url.pathname.startsWith('/-/'))
    send(
      response,
      replyTo(() => administer(site, method, url, jsonOf(asked.text))),
    );
  else await serveApi(site, asked, response);
};

const serveApi = async (site: Site, asked: Asked, response: ServerResponse): Promise<void> => {
  const place = placeOf(site.routes, asked.url.pathname);
  const query = Object.fromEntries(asked.url.searchParams);
  const record = {
    endpoint: place.endpoint,
    status: 0,
    at: site.now(),
    query,
    headers: asked.headers,
    body: asked.text,
  };
  site.requests.begin(record);
  let status = 0;
  try {
    const faults = site.faults.strike(place.endpoint, asked.url.search);
    await wait(site, place.endpoint, faults);
    const reply = spoilt(
      replyTo(() => answer(site, asked, place, faults)),
      faults,
    );
    status = reply.status;
    if (faults.some(({ kind }) => kind === 'cut_off')) cutOff(response, reply);
    else send(response, reply);
  } finally {
    site.requests.end(record, status);
  }
};

const placeOf = (routes: readonly Route[], path: string): Place => {
  const name = path.startsWith(API) ? path.slice(API.length) : path;
  const id = name.slice(name.lastIndexOf('/') + 1);
  const parent = name.slice(0, -id.length - 1);
  const withoutId = routes.filter((route) => !route.takesId && route.endpoint === name);
  const withId = routes.filter((route) => route.takesId && route.endpoint === parent);
  if (withId.length > 0) return { endpoint: parent, routes: withId, id };
  return { endpoint: name, routes: withoutId, id: '' };
};

const wait = async (
  { scenario, closing }: Site,
  endpoint: string,
  faults: readonly Fault[],
): Promise<void> => {
  const testRun = endpoint === 'proxy_test_run/create' ? scenario.test_run_delay_ms : 0;
  const ms = scenario.response_delay_ms + testRun + delayOf(faults);
  if (ms > 0) await delay(ms, undefined, { signal: closing });
};

const answer = (site: Site, asked: Asked, { routes, id }: Place, faults: readonly Fault[]): unknown => {
  const at = site.now();
  authenticate(site.scenario, asked.headers);
  site.checkPace(at);
  refuse(faults);
  if (routes.length === 0) throw new Refusal(404, 'Not found.');
  const route = routes.find(({ method }) => method === asked.method);
  if (!route) throw new Refusal(405, 'Method not allowed.');
  const body = route.method === 'POST' ? jsonOf(asked.text) : undefined;
  const call = { id, query: asked.url.searchParams, body, at, pageShift: pageShiftOf(faults) };
  return bend(route.handle(call), faults);
};

const authenticate = (scenario: Scenario, headers: Asked['headers']): void => {
  const hasKeys =
    headers['x-api-public-key'] === scenario.public_key &&
    headers['x-api-private-key'] === scenario.private_key;
  if (!hasKeys) throw new Refusal(401, 'API key authentication is required.');
};

const jsonOf = (text: string): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
};

const replyTo = (handle: () => unknown): Reply => {
  try {
    return { status: 200, text: JSON.stringify(handle()) };
  } catch (error) {
    // What is not a refusal is a mistake in the simulator: it shows as a 500 that says so.
    const refusal = error instanceof Refusal ? error : new Refusal(500, String(error));
    return {
      status: refusal.status,
      text: JSON.stringify(refusal.body(randomUUID())),
      headers: refusal.headers,
    };
  }
};

const spoilt = (reply: Reply, faults: readonly Fault[]): Reply => {
  const html = faults.find((fault) => fault.kind === 'html');
  if (html) return { status: html.status, text: PAGE, headers: { 'content-type': 'text/html' } };
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
