// What is tested, under the labels it is shown by: proxies and urls, none of whose secrets stand in a label.

import type { Secret } from '../../lib/secret.ts';
import type { TestCell } from '../../store/test-store.ts';
import type { Conflict, ReadContext } from '../collector.ts';
import type { ProxyTestOptions } from './options.ts';
import { type Endpoint, endpointKey, formatProxyLine, parseProxyLine } from './proxy-line.ts';

export interface TestedProxy extends Endpoint {
  /** Label `proxy_id`: the provider's id where known, else the configured name, else host:port. */
  readonly id: string;
  readonly name: string;
  readonly providerId: string | undefined;
  readonly productType: string;
  readonly protocol: string;
  readonly endpointKey: string;
  /** The line that the provider's test takes. */
  readonly line: Secret;
}

export interface TestedUrl {
  /** Label `url`: its name, else the address without userinfo, query and fragment. */
  readonly label: string;
  readonly address: Secret;
}

/** The configured proxies, their lines read now: a line may come from a file that changes. */
export const proxiesOf = ({ proxies }: ProxyTestOptions): TestedProxy[] =>
  proxies.flatMap(({ name, proxy_id, product_type, proxy }) => {
    const line = parseProxyLine(proxy.reveal());
    if ('error' in line) return [];
    const { host, port, username, protocol } = line;
    return [
      {
        id: proxy_id ?? name ?? `${host}:${port}`,
        name: name ?? '',
        providerId: proxy_id,
        productType: product_type ?? '',
        protocol,
        host,
        port,
        username,
        endpointKey: endpointKey(line),
        line: formatProxyLine(line),
      },
    ];
  });

export const urlsOf = ({ urls }: ProxyTestOptions): TestedUrl[] =>
  urls.map(({ name, url }) => ({ label: name ?? bareUrl(url.reveal()), address: url }));

/** The matrix of what is tested still, with the product types of its proxies. */
export const cellsOf = async ({
  account,
  options,
  store,
}: ReadContext<ProxyTestOptions>): Promise<(TestCell & Pick<TestedProxy, 'productType' | 'protocol'>)[]> => {
  const proxies = new Map(proxiesOf(options).map((proxy) => [proxy.id, proxy]));
  const urls = new Set(urlsOf(options).map(({ label }) => label));
  const testers = new Set(options.tester_servers);
  const cells = await store.tests.cells(account.name, [...proxies.keys()]);
  return cells.flatMap((cell) => {
    const proxy = proxies.get(cell.proxy);
    const isTested = urls.has(cell.url) && (testers.size === 0 || testers.has(cell.tester));
    return proxy && isTested ? [{ ...cell, productType: proxy.productType, protocol: proxy.protocol }] : [];
  });
};

/** Proxies and urls that would share a label. */
export const duplicatesIn = (options: ProxyTestOptions): Conflict[] => [
  ...duplicates(
    'proxies',
    'proxy',
    proxiesOf(options).map(({ id }) => id),
  ),
  ...duplicates(
    'urls',
    'url',
    urlsOf(options).map(({ label }) => label),
  ),
];

const duplicates = (section: string, what: string, labels: readonly string[]): Conflict[] =>
  labels.flatMap((label, index) =>
    labels.indexOf(label) === index
      ? []
      : [
          {
            path: [section, index],
            message: `the ${what} "${label}" is there already: give this one a name of its own`,
          },
        ],
  );

const bareUrl = (address: string): string => {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
};
