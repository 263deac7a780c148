// Parses the line of a proxy that proxywatch probes itself. It may have TLS to the proxy, and no credentials.

import { Secret } from '../../lib/secret.ts';
import type { ProbeProxy } from '../../prober/probe.ts';
import { type ProxyLineError, splitLine } from './line-parts.ts';

/**
 * Reads the forms of `parseProxyLine`, and each of them without `username:password` too: a proxy can know its
 * customers by their address. `https://` means TLS to the proxy.
 */
export const parseProbeLine = (text: string): ProbeProxy | ProxyLineError => {
  const parts = splitLine(text, { needsLogin: false });
  if ('error' in parts) return parts;
  const { scheme, host, port, login } = parts;
  const credentials = login ? { username: login.username, password: new Secret(login.password) } : undefined;
  return { protocol: scheme, host, port, credentials };
};
