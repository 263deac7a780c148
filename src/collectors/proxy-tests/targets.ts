// Lists the tested urls and the matrix of results, under labels that contain no secret, and finds duplicate labels.

import { setImmediate } from 'node:timers/promises';
import type { Secret } from '../../lib/secret.ts';
import type { TestCell } from '../../store/test-store.ts';
import type { Conflict } from '../collector.ts';
import type { ReadContext } from '../context.ts';
import type { SourceOptions } from '../proxy-sources/entries.ts';
import { duplicates, proxyMistakes } from '../proxy-sources/mistakes.ts';
import { configuredProxies, readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { urlLabel } from '../url-label.ts';
import type { ProxyTestOptions } from './options.ts';

interface TestedUrl {
  /** The value of the label `url`: its name, or the address without userinfo, query and fragment. */
  readonly label: string;
  readonly address: Secret;
}

/** What the readers of results need. Probes have it too, with the vantage as their only tester. */
export interface MatrixOptions extends SourceOptions {
  readonly urls: readonly { readonly name?: string | undefined; readonly url: Secret }[];
  /** Empty includes all testers. */
  readonly tester_servers: readonly string[];
  readonly fault_after: number;
}

export const urlsOf = ({ urls }: Pick<MatrixOptions, 'urls'>): TestedUrl[] =>
  urls.map((each) => ({ label: urlLabel(each), address: each.url }));

export type MatrixCell = TestCell & Pick<TestedProxy, 'productType' | 'protocol'>;

/** Of how many proxies the results are read before other work runs. */
const SLICE_SIZE = 200;

/** Yields the cells of some of these proxies at a time, with the event loop free in between. */
export async function* cellSlices(
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  proxies: readonly TestedProxy[],
): AsyncGenerator<MatrixCell[]> {
  for (let from = 0; from < proxies.length; from += SLICE_SIZE) {
    await setImmediate();
    const slice = new Map(proxies.slice(from, from + SLICE_SIZE).map((proxy) => [proxy.id, proxy]));
    const cells = await store.tests.cells(account.name, [...slice.keys()]);
    yield cells.flatMap((cell) => {
      const proxy = slice.get(cell.proxy);
      return proxy ? [{ ...cell, productType: proxy.productType, protocol: proxy.protocol }] : [];
    });
  }
}

export const readCells = async (...source: Parameters<typeof cellSlices>): Promise<MatrixCell[]> => {
  const all: MatrixCell[] = [];
  for await (const cells of cellSlices(...source)) for (const cell of cells) all.push(cell);
  return all;
};

/** Reads all cells of the proxies that are still tested, also those of urls and testers that no longer are. */
export const readAllCells = async (context: ReadContext<ProxyTestOptions>): Promise<MatrixCell[]> =>
  readCells(context, await readTestedProxies(context));

export const readConfiguredCells = async (context: ReadContext<ProxyTestOptions>): Promise<MatrixCell[]> =>
  (await readAllCells(context)).filter(configuredCellFilter(context.options));

export const configuredCellFilter = (
  options: Pick<MatrixOptions, 'urls' | 'tester_servers'>,
): ((cell: TestCell) => boolean) => {
  const urls = new Set(urlsOf(options).map(({ label }) => label));
  const testers = new Set(options.tester_servers);
  return ({ url, tester }) => urls.has(url) && (testers.size === 0 || testers.has(tester));
};

/** Finds proxies, sources and urls that share a label, and mistakes in files of proxies. */
export const mistakesIn = (options: ProxyTestOptions): Conflict[] => [
  ...proxyMistakes(options),
  ...duplicates(
    'urls',
    urlsOf(options).map(({ label }) => `the url "${label}"`),
  ),
];

/** The labels of configured proxies, urls and testers. Proxies that sources find are left out: the store knows them itself. */
export const configuredNames = (options: ProxyTestOptions): Set<string> =>
  new Set([
    ...configuredProxies(options).map(({ proxy }) => proxy.id),
    ...urlsOf(options).map(({ label }) => label),
    ...options.tester_servers,
  ]);
