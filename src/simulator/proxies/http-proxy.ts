// Serves a client that speaks HTTP: CONNECT opens a tunnel, and other methods are forwarded with another head.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ANONYMOUS, authenticate, type Credentials } from './admission.ts';
import { ByteReader, ClosedEarly, TooLong } from './byte-reader.ts';
import { CODES, classOfCode, type Refusal } from './codes.ts';
import { openRoute, relay } from './route.ts';
import type { HostPort } from './simulated-proxy.ts';
import type { Visit } from './visit.ts';

/** A request begins with its method. What begins otherwise, such as TLS, may never have the end of a head. */
const METHOD_START = /^[A-Za-z]$/;

/** Throws ClosedEarly if the client leaves. */
export const serveHttp = async (visit: Visit, reader: ByteReader): Promise<void> => {
  const isRequest = METHOD_START.test(String.fromCharCode(await reader.peek()));
  const request = isRequest ? await readRequest(reader) : 'malformed';
  if (request === 'malformed') return refuse(visit, { code: CODES.malformedRequest });
  if (request === 'method') return refuse(visit, { code: CODES.unsupportedMethod });
  const address = visit.raw.remoteAddress ?? '';
  const customer = authenticate(visit.context, visit.proxy, credentialsOf(request), address);
  if (customer === ANONYMOUS) return challenge(visit);
  if ('code' in customer) return refuse(visit, customer);
  const upstream = await openRoute(visit, customer, request.target);
  if ('code' in upstream) return refuse(visit, upstream);
  if (request.method === 'CONNECT') await openTunnel(visit, upstream, reader);
  else await forward(visit, upstream, reader, request);
};

const readRequest = async (reader: ByteReader): Promise<ProxyRequest | HeadMistake> => {
  try {
    return parseProxyRequest(await reader.head());
  } catch (error) {
    if (error instanceof TooLong) return 'malformed';
    throw error;
  }
};

const openTunnel = async (visit: Visit, upstream: Socket, reader: ByteReader): Promise<void> => {
  visit.isSuccessful = true;
  const isOpen = await visit.answer(head('HTTP/1.1 200 Connection established', signed(visit, 200)));
  if (isOpen) relay(visit, upstream, reader.rest());
  else upstream.destroy();
};

const forward = async (
  visit: Visit,
  upstream: Socket,
  reader: ByteReader,
  request: ProxyRequest,
): Promise<void> => {
  upstream.write(forwardedHead(request), 'latin1');
  upstream.write(reader.rest());
  visit.client.pipe(upstream);
  const answer = new ByteReader(upstream);
  try {
    const [status = '', ...headers] = (await answer.head()).slice(0, -4).split('\r\n');
    visit.isSuccessful = true;
    if (!(await visit.answer(head(status, [...signed(visit, 200), ...headers])))) return;
    visit.client.write(answer.rest());
    upstream.pipe(visit.client);
  } catch (error) {
    if (!(error instanceof ClosedEarly || error instanceof TooLong)) throw error;
    await refuse(visit, { code: CODES.brokenTarget });
  }
};

const refuse = async (visit: Visit, { code }: Refusal): Promise<void> => {
  const { status, text } = classOfCode(code) ?? { status: 500, text: 'Internal error.' };
  const isAuthentication = status === 407;
  await visit.refuse(page(status, text, [...signed(visit, code), ...(isAuthentication ? [CHALLENGE] : [])]));
};

/** The answer to a client that has not authenticated has none of the provider's headers. */
const challenge = (visit: Visit): Promise<void> =>
  visit.refuse(page(407, 'Proxy authentication required.', [CHALLENGE]));

const CHALLENGE = 'proxy-authenticate: Basic realm="proxy"';

const signed = ({ requestId }: Visit, code: number): string[] => [
  `x-byteful-request-id: ${requestId}`,
  `x-byteful-status-code: ${code}`,
];

const page = (status: number, text: string, headers: readonly string[]): Buffer => {
  const length = Buffer.byteLength(text);
  const own = ['content-type: text/plain', `content-length: ${length}`, 'connection: close'];
  return Buffer.concat([
    head(`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, [...headers, ...own]),
    Buffer.from(text),
  ]);
};

const head = (line: string, headers: readonly string[]): Buffer =>
  Buffer.from([line, ...headers, '', ''].join('\r\n'), 'latin1');

interface ProxyRequest {
  readonly method: string;
  readonly target: HostPort;
  /** Undefined for CONNECT. */
  readonly path: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const METHODS = ['CONNECT', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/;
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/;
const AUTHORITY = /^(?:\[([\da-f:.]+)\]|([^:[\]/?#@]+)):(\d{1,5})$/i;
const ABSOLUTE = /^http:\/\/(?:\[([\da-f:.]+)\]|([^:[\]/?#@]+))(?::(\d{1,5}))?([/?].*)?$/i;
/** Headers that are between the client and the proxy. */
const OWN_HEADERS = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive'];

type HeadMistake = 'malformed' | 'method';

const parseProxyRequest = (head: string): ProxyRequest | HeadMistake => {
  const [line = '', ...rest] = head.slice(0, -4).split('\r\n');
  const [, method, target] = REQUEST_LINE.exec(line) ?? [];
  const headers = rest.map((text) => {
    const [found, name = '', value = ''] = HEADER.exec(text) ?? [];
    return found === undefined ? null : ([name, value] as const);
  });
  if (method === undefined || target === undefined || !headers.every((header) => header !== null))
    return 'malformed';
  if (!METHODS.includes(method)) return 'method';
  const parsed = method === 'CONNECT' ? authorityOf(target) : absoluteOf(target);
  return parsed ? { method, headers, ...parsed } : 'malformed';
};

/** Returns undefined if the request has no credentials, or others than those of basic authentication. */
const credentialsOf = ({ headers }: ProxyRequest): Credentials | undefined => {
  const value = headers.find(([name]) => name.toLowerCase() === 'proxy-authorization')?.[1] ?? '';
  const [, encoded = ''] = /^basic +([\w+/=-]+)$/i.exec(value) ?? [];
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
};

const forwardedHead = ({ method, path = '/', headers }: ProxyRequest): string => {
  const kept = headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
  const lines = [...kept, ['connection', 'close'] as const].map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
};

const authorityOf = (text: string): Pick<ProxyRequest, 'target' | 'path'> | undefined => {
  const [, address, name, port] = AUTHORITY.exec(text) ?? [];
  const host = address ?? name;
  return host === undefined ? undefined : { target: { host, port: Number(port) }, path: undefined };
};

const absoluteOf = (text: string): Pick<ProxyRequest, 'target' | 'path'> | undefined => {
  const [, address, name, port = '80', rest = '/'] = ABSOLUTE.exec(text) ?? [];
  const host = address ?? name;
  if (host === undefined) return undefined;
  return { target: { host, port: Number(port) }, path: rest.startsWith('/') ? rest : `/${rest}` };
};
