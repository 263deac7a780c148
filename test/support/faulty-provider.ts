// Forwards requests to a provider, and spoils the answers to those that a test chooses.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { HOUR } from '../../src/lib/time.ts';

/** A request of the daemon, in the terms of the provider's API. */
export interface ProviderRequest {
  readonly method: string;
  /** The path under `public/user/`, without an id at its end, such as `service/retrieve`. */
  readonly endpoint: string;
  /** The id that ends the path; empty if the endpoint takes none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON of a POST; otherwise undefined. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the body, in order, so that a long filling need not be copied. */
  readonly body: readonly Buffer[];
}

/** Writes what it likes. It calls `hold` if the answer has no end; the test then ends the deadline of the request. */
export interface RawReaction {
  write(response: ServerResponse, hold: () => void): void;
}

/** What the daemon gets: an answer, a connection that breaks, nothing until its deadline, or any bytes. */
export type Reaction = ProviderAnswer | RawReaction | 'reset' | 'silence';

/** Spoils the answers to some requests. */
export interface PlantedFault {
  matches(request: ProviderRequest): boolean;
  /** `answer` is what the provider answered. */
  react(answer: ProviderAnswer, request: ProviderRequest): Reaction;
}

export interface FaultyProvider extends AsyncDisposable {
  readonly baseUrl: string;
  readonly server: Server | TlsServer;
  /** The fault in effect; undefined while all answers are passed on unchanged. */
  fault: PlantedFault | undefined;
  /** All requests since it was last set to an empty list. */
  requests: ProviderRequest[];
}

export interface FaultyProviderOptions {
  /** Called when a request gets no answer. The test then ends the deadline of the request. */
  readonly onSilence?: () => void;
  /**
   * Returns a key under which the provider's answer is remembered, such as the time of the simulated provider. Equal
   * requests with an equal key then get the same answer. By default every request is forwarded.
   */
  readonly rememberBy?: () => string | number;
  /** The certificate with which it serves HTTPS. By default it serves HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Headers of the requests to the provider that differ from the daemon's. */
  readonly headers?: Readonly<Record<string, string>>;
}

const API = /^\/[^/]+\/public\/user\//;
/** The endpoints whose path ends with an id. */
const RETRIEVE = /^(\w+\/(?:retrieve|geolocate))\/(.*)$/;
/** Headers that belong to one connection, or that Node.js writes itself. */
const OWN_HEADERS = new Set(['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

/** Starts it in front of the provider at `providerUrl`. */
export const startFaultyProvider = async (
  providerUrl: string,
  { onSilence = () => {}, rememberBy, tls, headers = {} }: FaultyProviderOptions = {},
): Promise<FaultyProvider> => {
  const remembered = new Map<string, Promise<ProviderAnswer>>();
  const forward = (request: IncomingMessage, body: Buffer): Promise<ProviderAnswer> => {
    if (!rememberBy) return ask(providerUrl, request, body, headers);
    const key = [rememberBy(), request.method, request.url, body].join(' ');
    const answer = remembered.get(key) ?? ask(providerUrl, request, body, headers);
    remembered.set(key, answer);
    return answer;
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const request = toProviderRequest(incoming, body);
    provider.requests.push(request);
    const { fault } = provider;
    const answer = await forward(incoming, body);
    const reaction = fault?.matches(request) ? fault.react(answer, request) : answer;
    if (reaction === 'reset') response.destroy();
    else if (reaction === 'silence') onSilence();
    else if ('write' in reaction) reaction.write(response, onSilence);
    else write(response, reaction);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    // A client that waited may have disconnected.
    serve(incoming, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  // Only clients close connections.
  server.keepAliveTimeout = HOUR;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider: FaultyProvider = {
    baseUrl: `${tls ? 'https' : 'http'}://127.0.0.1:${port}${new URL(providerUrl).pathname}`,
    server,
    fault: undefined,
    requests: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
};

/** Returns the answer with another body and, if given, another status. */
export const withBody = (
  { headers, status }: ProviderAnswer,
  body: string | readonly Buffer[],
  changes: Partial<Pick<ProviderAnswer, 'status' | 'headers'>> = {},
): ProviderAnswer => ({
  status: changes.status ?? status,
  headers: { ...headers, ...changes.headers },
  body: typeof body === 'string' ? [Buffer.from(body)] : body,
});

/** Returns the answer with its JSON as `rewrite` returns it. */
export const rewriteJson = (answer: ProviderAnswer, rewrite: (json: unknown) => unknown): ProviderAnswer =>
  withBody(answer, JSON.stringify(rewrite(jsonOf(answer))));

export const jsonOf = ({ body }: ProviderAnswer): unknown => JSON.parse(Buffer.concat(body).toString());

const toProviderRequest = (
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Buffer,
): ProviderRequest => {
  const { pathname, searchParams } = new URL(url, 'http://provider.example');
  const path = pathname.replace(API, '');
  const [, endpoint = path, id = ''] = RETRIEVE.exec(path) ?? [];
  return {
    method,
    endpoint,
    id: decodeURIComponent(id),
    query: Object.fromEntries(searchParams),
    body: body.length === 0 ? undefined : JSON.parse(body.toString()),
    headers,
  };
};

const ask = async (
  providerUrl: string,
  request: IncomingMessage,
  body: Buffer,
  ownHeaders: Readonly<Record<string, string>>,
): Promise<ProviderAnswer> => {
  const { method = 'GET', url = '/', headers } = request;
  const answer = await fetch(new URL(url, providerUrl), {
    method,
    headers: Object.entries({ ...headers, ...ownHeaders }).filter(([name]) => !OWN_HEADERS.has(name)) as [
      string,
      string,
    ][],
    ...(body.length === 0 ? {} : { body }),
  });
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.has(name))),
    body: [Buffer.from(await answer.arrayBuffer())],
  };
};

const write = (response: ServerResponse, { status, headers, body }: ProviderAnswer): void => {
  const length = body.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(status, { ...headers, 'content-length': length });
  for (const part of body) response.write(part);
  response.end();
};
