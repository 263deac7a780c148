// What is tested against what, under the labels it is shown by, none of which has a secret in it.

import type { Secret } from '../../lib/secret.ts';
import type { TestCell } from '../../store/test-store.ts';
import type { Conflict } from '../collector.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyTestOptions } from './options.ts';
import { proxyOf } from './sources/proxy-entry.ts';
import { sourceOf } from './sources/sources.ts';
import { type TestedProxy, testedProxies } from './sources/tested-proxies.ts';

export interface TestedUrl {
  /** Label `url`: its name, else the address without userinfo, query and fragment. */
  readonly label: string;
  readonly address: Secret;
}

export const urlsOf = ({ urls }: ProxyTestOptions): TestedUrl[] =>
  urls.map(({ name, url }) => ({ label: name ?? bareUrl(url.reveal()), address: url }));

/** A cell of the matrix with what is known of its proxy. */
export type MatrixCell = TestCell & Pick<TestedProxy, 'productType' | 'protocol'>;

/** All that was ever tested of the proxies that are tested still. */
export const allCells = async (context: ReadContext<ProxyTestOptions>): Promise<MatrixCell[]> => {
  const { account, store } = context;
  const proxies = new Map((await testedProxies(context)).map((proxy) => [proxy.id, proxy]));
  const cells = await store.tests.cells(account.name, [...proxies.keys()]);
  return cells.flatMap((cell) => {
    const proxy = proxies.get(cell.proxy);
    return proxy ? [{ ...cell, productType: proxy.productType, protocol: proxy.protocol }] : [];
  });
};

/** The matrix of what is tested still. */
export const cellsOf = async (context: ReadContext<ProxyTestOptions>): Promise<MatrixCell[]> =>
  (await allCells(context)).filter(isTestedBy(context.options));

/** Whether a cell of the matrix is of a url and a tester that are tested still. */
export const isTestedBy = (options: ProxyTestOptions): ((cell: TestCell) => boolean) => {
  const urls = new Set(urlsOf(options).map(({ label }) => label));
  const testers = new Set(options.tester_servers);
  return ({ url, tester }) => urls.has(url) && (testers.size === 0 || testers.has(tester));
};

/** Proxies, sources and urls that would share a label, and what is wrong with files of proxies. */
export const mistakesIn = (options: ProxyTestOptions): Conflict[] => [
  ...duplicates('proxies', options.proxies.map(describeEntry)),
  ...duplicates(
    'urls',
    urlsOf(options).map(({ label }) => `the url "${label}"`),
  ),
  ...options.proxies.flatMap((entry, index) =>
    'proxy' in entry
      ? []
      : sourceOf(entry)
          .preview()
          .mistakes.map((message) => ({ path: ['proxies', index], message })),
  ),
];

const describeEntry = (entry: ProxyTestOptions['proxies'][number]): string =>
  'proxy' in entry ? `the proxy "${proxyOf(entry)[0]?.target.id}"` : `the source "${sourceOf(entry).name}"`;

const duplicates = (section: string, labels: readonly string[]): Conflict[] =>
  labels.flatMap((label, index) =>
    labels.indexOf(label) === index
      ? []
      : [{ path: [section, index], message: `${label} is there already: give this one a name of its own` }],
  );

const bareUrl = (address: string): string => {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
};
