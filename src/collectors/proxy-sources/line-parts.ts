// Splits the line of a proxy into its parts: host:port:username:password or a URL.

import { isIPv6 } from 'node:net';
import { describeSurroundings, withoutFinalNewline } from '../../config/secret-file.ts';

/** Describes what is wrong with a line, without any of its text. */
export interface ProxyLineError {
  readonly error: string;
}

export interface LineParts {
  readonly scheme: 'http' | 'https' | 'socks5';
  /** In lower case, an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Null only if the reader accepts a line without a login. */
  readonly login: { readonly username: string; readonly password: string } | null;
}

export interface LineOptions {
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
export const splitLine = (line: string, options: LineOptions): LineParts | ProxyLineError => {
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
