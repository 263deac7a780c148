// A proxy as an operator writes it, in the configuration or in a list of its own.

import { z } from 'zod';
import { secret, withFileTwins } from '../../../config/primitives.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { Target } from '../../../store/target-store.ts';
import { formatProxyLine, parseProxyLine } from './proxy-line.ts';

/** A proxy that can be tested: what may be known of it, and the line that the provider's test takes. */
export interface FoundProxy {
  readonly target: Target;
  readonly line: Secret;
}

/** The line of a proxy, with its password. */
export const proxySecret = () =>
  secret(
    'a proxy such as host:port:username:password',
    (text) => whyNoProxy(text) === undefined,
    (text) => `no proxy: ${whyNoProxy(text)}`,
  );

const whyNoProxy = (text: string): string | undefined => {
  const line = parseProxyLine(text);
  return 'error' in line ? line.error : undefined;
};

export const proxyEntry = withFileTwins(
  {
    name: z.string().min(1).optional().describe('Label `proxy_id` where proxy_id is not given'),
    proxy_id: z.string().min(1).optional().describe('The provider’s id'),
    product_type: z.string().min(1).optional(),
  },
  { proxy: proxySecret() },
);

export type ProxyEntry = z.output<typeof proxyEntry>;

/** Thousands of entries are read several times a round, and most are as they were: what each was last. */
const lastRead = new WeakMap<ProxyEntry, { readonly text: string; readonly found: readonly FoundProxy[] }>();

/** The proxy, its line read now: it may come from a file that changes. */
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
  const target = {
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
  return [{ target, line: formatProxyLine(line) }];
};
