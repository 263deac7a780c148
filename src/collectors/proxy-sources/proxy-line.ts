// Parses and formats the line of a proxy: host:port:username:password or a URL.

import { isIPv6 } from 'node:net';
import { Secret } from '../../lib/secret.ts';

/** The address of a proxy and the user of its requests, which identify the results of a test run. */
export interface Endpoint {
  /** In lower case, an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
}

export interface ProxyLine extends Endpoint {
  readonly protocol: 'http' | 'socks5';
  readonly password: Secret;
}

/** Describes what is wrong with a line, without any of its text. */
export interface ProxyLineError {
  readonly error: string;
}

type Protocol = ProxyLine['protocol'];

const PROTOCOLS: Readonly<Record<string, Protocol>> = { http: 'http', https: 'http', socks5: 'socks5' };

/**
 * Reads `host:port:username:password` (an IPv6 address in brackets; the password may contain colons) or
 * `http://`, `https://` or `socks5://username:password@host:port` (username and password percent-encoded).
 */
export const parseProxyLine = (line: string): ProxyLine | ProxyLineError => {
  const text = line.trim();
  if (/\p{Cc}/u.test(text)) return { error: 'a proxy is one line without control characters' };
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  return scheme === undefined || rest === undefined ? parsePlain(text) : parseUrl(scheme, rest);
};

/** Returns the line for the provider: `host:port:username:password` if that form can express it, otherwise a URL. */
export const formatProxyLine = (line: ProxyLine): Secret =>
  new Secret(() => {
    const { protocol, port, username } = line;
    const host = isIPv6(line.host) ? `[${line.host}]` : line.host;
    const password = line.password.reveal();
    if (protocol === 'http' && !username.includes(':')) return `${host}:${port}:${username}:${password}`;
    return `${protocol}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`;
  });

/** The key is equal for two proxies whose results could not be distinguished in one test run. */
export const endpointKey = ({ host, port, username }: Endpoint): string =>
  `${normalHost(host)}:${port}:${username}`;

/** Returns the host in lower case and an IPv6 address without brackets, for comparisons. */
export const normalHost = (host: string): string =>
  (host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host).toLowerCase();

const parsePlain = (text: string): ProxyLine | ProxyLineError => {
  const [, host, port, username, password] = /^(\[[^\]]*\]|[^:]*):([^:]*):([^:]*):(.*)$/.exec(text) ?? [];
  if (host === undefined || port === undefined || username === undefined || password === undefined) {
    return {
      error: 'expected host:port:username:password or a URL such as http://username:password@host:port',
    };
  }
  return proxyLine('http', host, port, username, password);
};

const parseUrl = (scheme: string, rest: string): ProxyLine | ProxyLineError => {
  const protocol = PROTOCOLS[scheme.toLowerCase()];
  if (!protocol) return { error: 'expected the scheme http, https or socks5' };
  // The last @ ends the credentials, so a password may contain an unencoded @.
  const [, username, password, host, port] = /^([^:]*):(.*)@(\[[^\]]*\]|[^:]*):([^:/]*)\/?$/.exec(rest) ?? [];
  if (host === undefined || port === undefined || username === undefined || password === undefined) {
    return { error: 'expected username:password@host:port after the scheme' };
  }
  try {
    return proxyLine(protocol, host, port, decodeURIComponent(username), decodeURIComponent(password));
  } catch {
    return { error: 'username and password must be percent-encoded: a % begins two hexadecimal digits' };
  }
};

const proxyLine = (
  protocol: Protocol,
  host: string,
  port: string,
  username: string,
  password: string,
): ProxyLine | ProxyLineError => {
  if (!isHost(host)) return { error: 'expected a host name, an IPv4 address or an IPv6 address in brackets' };
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    return { error: 'expected a port from 1 to 65535' };
  }
  if (username === '') return { error: 'the username is empty' };
  if (password === '') return { error: 'the password is empty' };
  return { protocol, host: normalHost(host), port: Number(port), username, password: new Secret(password) };
};

const isHost = (host: string): boolean =>
  host.startsWith('[') ? isIPv6(host.slice(1, -1)) : /^[a-z\d_]([a-z\d_.-]*[a-z\d_.])?$/i.test(host);
