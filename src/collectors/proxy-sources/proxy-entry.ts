// Defines and parses a proxy as an operator writes it, in the configuration or in a file of proxies.

import { z } from 'zod';
import { objectWithSecrets, secret } from '../../config/primitives.ts';
import type { Secret } from '../../lib/secret.ts';
import type { SourceProxy } from '../../store/source-proxy-store.ts';
import { formatProxyLine, parseProxyLine } from './proxy-line.ts';

/** A proxy that can be tested: what may be stored about it, and the secret line with which the provider is asked to test it. */
export interface FoundProxy {
  readonly proxy: SourceProxy;
  readonly line: Secret;
}

/** The schema of a proxy's line, which contains its password. */
export const proxySecret = () =>
  secret(
    'a proxy such as host:port:username:password',
    (text) => proxyLineError(text) === undefined,
    (text) => `not a valid proxy: ${proxyLineError(text)}`,
  );

const proxyLineError = (text: string): string | undefined => {
  const line = parseProxyLine(text);
  return 'error' in line ? line.error : undefined;
};

export const proxyEntry = objectWithSecrets(
  {
    name: z
      .string()
      .min(1)
      .optional()
      .describe('Name of the proxy. Without a proxy_id, the name is the label `proxy_id`'),
    proxy_id: z
      .string()
      .min(1)
      .optional()
      .describe('The provider’s id of the proxy. The id is the label `proxy_id`'),
    product_type: z.string().min(1).optional().describe('Product type of the proxy'),
  },
  { proxy: proxySecret().describe('The proxy, as host:port:username:password or as a URL') },
);

export type ProxyEntry = z.output<typeof proxyEntry>;

/** Caches the result for each entry, because thousands of entries are parsed several times a round and few of them change. */
const lastRead = new WeakMap<ProxyEntry, { readonly text: string; readonly found: readonly FoundProxy[] }>();

/** Returns the proxy, or nothing if its line is invalid. The line is read now, because it may come from a file that changes. */
export const proxyOf = (entry: ProxyEntry): readonly FoundProxy[] => {
  const text = entry.proxy.reveal();
  const last = lastRead.get(entry);
  if (last?.text === text) return last.found;
  const found = parse(entry, text);
  lastRead.set(entry, { text, found });
  return found;
};

const parse = ({ name, proxy_id, product_type }: ProxyEntry, text: string): FoundProxy[] => {
  const line = parseProxyLine(text);
  if ('error' in line) return [];
  const { host, port, username, protocol } = line;
  const proxy = {
    id: proxy_id ?? name ?? `${host}:${port}`,
    name: name ?? '',
    providerId: proxy_id ?? null,
    productType: product_type ?? '',
    protocol,
    host,
    port,
    username,
    facts: null,
  };
  return [{ proxy, line: formatProxyLine(line) }];
};
