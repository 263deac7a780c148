// Parses and formats the line of a proxy: host:port:username:password or a URL.

import { isIPv6 } from 'node:net';
import { describeSurroundings, withoutFinalNewline } from '../../config/secret-file.ts';
import { Secret } from '../../lib/secret.ts';
import type { ProbeProxy } from '../../prober/probe.ts';

/** Describes what is wrong with a line, without any of its text. */
export interface ProxyLineError {
  readonly error: string;
}

interface LineParts {
  readonly scheme: 'http' | 'https' | 'socks5';
  /** In lower case, an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Null only if the reader accepts a line without a login. */
  readonly login: { readonly username: string; readonly password: string } | null;
}

interface LineOptions {
  /** Whether `host:port` alone is an error. */
  readonly needsLogin: boolean;
}

type Scheme = LineParts['scheme'];

const SCHEMES: readonly string[] = ['http', 'https', 'socks5'] satisfies Scheme[];

/**
 * Reads `host:port:username:password` (an IPv6 address in brackets; the password may contain colons) or
 * `http://`, `https://` or `socks5://username:password@host:port` (username and password percent-encoded). Blanks around
 * it are an error, because they could belong to the password.
 */
const splitLine = (line: string, options: LineOptions): LineParts | ProxyLineError => {
  const text = withoutFinalNewline(line);
  const surroundings = describeSurroundings(text);
  if (surroundings !== undefined) return { error: `the line is ${surroundings}` };
  if (/\p{Cc}/u.test(text)) return { error: 'a proxy is one line without control characters' };
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  return scheme === undefined || rest === undefined
    ? splitPlain(text, options)
    : splitUrl(scheme.toLowerCase(), rest, options);
};

/** Returns the host in lower case and an IPv6 address without brackets, for comparisons. */
export const normalHost = (host: string): string =>
  (host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host).toLowerCase();

const splitPlain = (text: string, { needsLogin }: LineOptions): LineParts | ProxyLineError => {
  const [, host, port, username, password] =
    /^(\[[^\]]*\]|[^:]*):([^:]*)(?::([^:]*):(.*))?$/.exec(text) ?? [];
  const hasLogin = username !== undefined && password !== undefined;
  if (host === undefined || port === undefined || (needsLogin && !hasLogin)) {
    const short = needsLogin ? '' : 'host:port, ';
    return {
      error: `expected ${short}host:port:username:password or a URL such as http://username:password@host:port`,
    };
  }
  return checkParts('http', host, port, hasLogin ? { username, password } : null);
};

const splitUrl = (scheme: string, rest: string, { needsLogin }: LineOptions): LineParts | ProxyLineError => {
  if (!isScheme(scheme)) return { error: 'expected the scheme http, https or socks5' };
  // The last @ ends the credentials, so a password may contain an unencoded @.
  const [, username, password, host, port] =
    /^(?:([^:]*):(.*)@)?(\[[^\]]*\]|[^:@]*):([^:/]*)\/?$/.exec(rest) ?? [];
  const hasLogin = username !== undefined && password !== undefined;
  if (host === undefined || port === undefined || (needsLogin && !hasLogin)) {
    if (hasPlainIpv6(rest)) return { error: 'expected an IPv6 address in brackets, and then the port' };
    const short = needsLogin ? '' : 'host:port or ';
    return { error: `expected ${short}username:password@host:port after the scheme` };
  }
  try {
    return checkParts(scheme, host, port, hasLogin ? decodeLogin(username, password) : null);
  } catch {
    return { error: 'user name and password must be percent-encoded: a % begins two hexadecimal digits' };
  }
};

const hasPlainIpv6 = (rest: string): boolean =>
  /^[\da-f]*:[\da-f:]*:[^:]*$/i.test(rest.slice(rest.lastIndexOf('@') + 1));

const decodeLogin = (username: string, password: string): LineParts['login'] => ({
  username: decodeURIComponent(username),
  password: decodeURIComponent(password),
});

const checkParts = (
  scheme: Scheme,
  host: string,
  port: string,
  login: LineParts['login'],
): LineParts | ProxyLineError => {
  if (!isHost(host)) return { error: 'expected a host name, an IPv4 address or an IPv6 address in brackets' };
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    return { error: 'expected a port from 1 to 65535' };
  }
  if (login?.username === '') return { error: 'the user name is empty' };
  if (login?.password === '') return { error: 'the password is empty' };
  return { scheme, host: normalHost(host), port: Number(port), login };
};

const isScheme = (scheme: string): scheme is Scheme => SCHEMES.includes(scheme);

const isHost = (host: string): boolean =>
  host.startsWith('[') ? isIPv6(host.slice(1, -1)) : /^[a-z\d_]([a-z\d_.-]*[a-z\d_.])?$/i.test(host);

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

/**
 * Reads `host:port:username:password` (an IPv6 address in brackets; the password may contain colons) or
 * `http://`, `https://` or `socks5://username:password@host:port` (username and password percent-encoded).
 */
export const parseProxyLine = (line: string): ProxyLine | ProxyLineError => {
  const parts = splitLine(line, { needsLogin: true });
  if ('error' in parts) return parts;
  const { host, port, login } = parts;
  if (!login) return { error: 'the line has no user name and password' };
  // The provider's testers connect without TLS, also if the line says https.
  const protocol = parts.scheme === 'socks5' ? 'socks5' : 'http';
  return { protocol, host, port, username: login.username, password: new Secret(login.password) };
};

/** Returns the line for the provider: `host:port:username:password` if that form can express it, otherwise a URL. */
export const formatProxyLine = (line: ProxyLine): Secret =>
  new Secret(() => {
    const { protocol, port, username } = line;
    const host = isIPv6(line.host) ? `[${line.host}]` : line.host;
    const password = line.password.reveal();
    const plain = `${host}:${port}:${username}:${password}`;
    // Readers of lines drop or refuse blanks at the end, even if they belong to the password.
    if (protocol === 'http' && !username.includes(':') && plain.trim() === plain) return plain;
    return `${protocol}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`;
  });

/** The key is equal for two proxies whose results could not be distinguished in one test run. */
export const endpointKey = ({ host, port, username }: Endpoint): string =>
  `${normalHost(host)}:${port}:${username}`;

/** Reads the forms of `parseProxyLine`, also without a login: proxies can know addresses. `https://` is TLS to the proxy. */
export const parseProbeLine = (text: string): ProbeProxy | ProxyLineError => {
  const parts = splitLine(text, { needsLogin: false });
  if ('error' in parts) return parts;
  const { scheme, host, port, login } = parts;
  const credentials = login ? { username: login.username, password: new Secret(login.password) } : undefined;
  return { protocol: scheme, host, port, credentials };
};
