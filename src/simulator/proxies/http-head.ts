// Reads the head of a request to an HTTP proxy, and rewrites it for the target.

import type { Credentials } from './admission.ts';
import type { HostPort } from './simulated-proxy.ts';

export interface ProxyRequest {
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

export type HeadMistake = 'malformed' | 'method';

export const parseProxyRequest = (head: string): ProxyRequest | HeadMistake => {
  const [line = '', ...rest] = head.slice(0, -4).split('\r\n');
  const [, method, target] = REQUEST_LINE.exec(line) ?? [];
  const headers = rest.map((text) => HEADER.exec(text)).map((match) => match && pairOf(match));
  if (method === undefined || target === undefined || !headers.every((header) => header !== null))
    return 'malformed';
  if (!METHODS.includes(method)) return 'method';
  const parsed = method === 'CONNECT' ? authorityOf(target) : absoluteOf(target);
  return parsed ? { method, headers, ...parsed } : 'malformed';
};

/** Returns undefined if the request has no credentials, or others than those of basic authentication. */
export const credentialsOf = ({ headers }: ProxyRequest): Credentials | undefined => {
  const value = headers.find(([name]) => name.toLowerCase() === 'proxy-authorization')?.[1] ?? '';
  const [, encoded = ''] = /^basic +([\w+/=-]+)$/i.exec(value) ?? [];
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
};

/** Returns the head of the request as the target receives it. */
export const forwardedHead = ({ method, path = '/', headers }: ProxyRequest): string => {
  const kept = headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
  const lines = [...kept, ['connection', 'close'] as const].map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
};

const pairOf = ([, name = '', value = '']: RegExpExecArray): readonly [string, string] => [name, value];

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
