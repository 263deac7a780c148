// Defines and parses a proxy as an operator writes it, in the configuration or in a file of proxies.

import type { z } from 'zod';
import { labelText, objectWithSecrets, relativePath, secret } from '../../config/primitives.ts';
import { Secret } from '../../lib/secret.ts';
import type { SourceProxy } from '../../store/source-proxy-store.ts';
import { formatProxyLine, type ProxyLineError, parseProbeLine, parseProxyLine } from './proxy-line.ts';

/** A proxy that can be tested: what may be stored about it, and the secret line with which it is tested. */
export interface FoundProxy {
  readonly proxy: SourceProxy;
  readonly line: Secret;
  /** Certificates (PEM) that are trusted for TLS with the proxy. Only of an entry of the configuration. */
  readonly caFile?: string | undefined;
}

const lineSecret = (parse: (text: string) => object | ProxyLineError) => {
  const errorIn = (text: string): string | undefined => {
    const line = parse(text);
    return 'error' in line ? line.error : undefined;
  };
  return secret(
    'a proxy such as host:port:username:password',
    (text) => errorIn(text) === undefined,
    (text) => `not a valid proxy: ${errorIn(text)}`,
  );
};

/** Schema of a proxy's line, which contains its password. */
export const proxySecret = () => lineSecret(parseProxyLine);

/** The schema of the line of a proxy that proxywatch probes itself. */
export const probeSecret = () => lineSecret(parseProbeLine);

const entryShape = {
  name: labelText()
    .optional()
    .describe('Name of the proxy. Without a proxy_id, the name is the label `proxy_id`'),
  proxy_id: labelText().optional().describe('The provider’s id of the proxy. The id is the label `proxy_id`'),
  product_type: labelText().optional().describe('Product type of the proxy'),
};

export const proxyEntry = objectWithSecrets(entryShape, {
  proxy: proxySecret().describe('The proxy, as host:port:username:password or as a URL'),
});

/** An entry of a proxy that proxywatch probes itself. */
export const probeEntry = objectWithSecrets(
  {
    ...entryShape,
    ca_file: relativePath()
      .optional()
      .describe(
        'File with the certificates (PEM) to trust for TLS with the proxy, instead of the usual ones',
      ),
  },
  {
    proxy: probeSecret().describe(
      'The proxy, as host:port, host:port:username:password or a URL. https:// means TLS to the proxy',
    ),
  },
).transform((entry) => ({ ...entry, isProbed: true as const }));

export type ProxyEntry = z.output<typeof proxyEntry> & {
  readonly ca_file?: string | undefined;
  /** Whether proxywatch connects to the proxy itself. Its line may then say TLS to the proxy, and lack a login. */
  readonly isProbed?: boolean;
};

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

const parse = (entry: ProxyEntry, text: string): FoundProxy[] => {
  const { name, proxy_id, product_type, ca_file } = entry;
  const read = readLine(entry, text);
  if (!read) return [];
  const { host, port, username, protocol, line } = read;
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
  return [{ proxy, line, ...(ca_file !== undefined && { caFile: ca_file }) }];
};

type ReadLine = Pick<SourceProxy, 'protocol' | 'host' | 'port' | 'username'> & { readonly line: Secret };

/** Returns undefined if the line is invalid. */
const readLine = ({ isProbed = false }: ProxyEntry, text: string): ReadLine | undefined => {
  if (!isProbed) {
    const line = parseProxyLine(text);
    return 'error' in line ? undefined : { ...line, line: formatProxyLine(line) };
  }
  const line = parseProbeLine(text);
  if ('error' in line) return undefined;
  const { protocol, host, port, credentials } = line;
  return { protocol, host, port, username: credentials?.username ?? '', line: new Secret(text) };
};
