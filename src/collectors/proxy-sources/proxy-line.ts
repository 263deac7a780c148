// Parses and formats the line of a proxy that the provider tests: host:port:username:password or a URL.

import { isIPv6 } from 'node:net';
import { Secret } from '../../lib/secret.ts';
import { normalHost, type ProxyLineError, splitLine } from './line-parts.ts';

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
