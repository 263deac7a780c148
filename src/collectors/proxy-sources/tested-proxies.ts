// Lists the proxies to test: those in the configuration and those that its sources found, each once.

import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../../lib/secret.ts';
import { flatMapInSteps, runInTurns } from '../../lib/steps.ts';
import { type SourceProxy, TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import type { ReadContext } from '../context.ts';
import type { SourceOptions } from './entries.ts';
import { type FoundProxy, proxyOf } from './proxy-entry.ts';
import { endpointKey } from './proxy-line.ts';
import type { ProxySource } from './source.ts';
import { sourcesOf } from './sources.ts';

export interface TestedProxy extends SourceProxy {
  /** Equal for proxies whose results could not be distinguished in one test run. */
  readonly endpointKey: string;
}

/** The proxies that the configuration itself lists. */
export const configuredProxies = ({ proxies }: SourceOptions): FoundProxy[] =>
  proxies.flatMap((entry) => ('proxy' in entry ? proxyOf(entry) : []));

/** Reads the configured proxies and, after them, those that the store has from the sources. */
export const readTestedProxies = async ({
  account,
  options,
  store,
}: ReadContext<SourceOptions>): Promise<TestedProxy[]> => {
  const configured = configuredProxies(options).map(({ proxy }) => toTestedProxy(proxy));
  const found: TestedProxy[] = [];
  for (const { name } of sourcesOf(options)) {
    for (const proxy of await store.sourceProxies.of(account.name, name)) found.push(toTestedProxy(proxy));
  }
  return mergeProxies(configured, found);
};

/** Forgets sources that are no longer configured, before the first round of a collector. */
export const openSources = async (
  context: ReadContext<SourceOptions>,
  sources: readonly ProxySource[],
): Promise<void> => {
  const { account, store } = context;
  await keepMovedProxies(context, sources);
  await store.sourceProxies.retain(
    account.name,
    sources.map(({ name }) => name),
  );
  await saveTestedProxies(context);
};

/** A file in another folder, as after a restore, is another source. Its tested proxies stay so until a round reads it. */
const keepMovedProxies = async (
  { account, store, clock }: ReadContext<SourceOptions>,
  sources: readonly ProxySource[],
): Promise<void> => {
  const { of, save } = store.sourceProxies;
  for (const { name, proxiesHere } of sources) {
    if (!proxiesHere || (await of(account.name, name)).length > 0) continue;
    const tested = new Set((await of(account.name, TESTED_PROXIES)).map(({ id }) => id));
    const moved = proxiesHere().filter(({ proxy }) => tested.has(proxy.id));
    // Of two proxies with one id, the first one counts.
    const first = new Map(moved.toReversed().map(({ proxy }) => [proxy.id, proxy]));
    if (first.size > 0) await save(account.name, name, [...first.values()], [], clock.now());
  }
};

/** Stores which proxies are tested, for readers that do not know the sources. Only changes are written. */
export const saveTestedProxies = async (context: ReadContext<SourceOptions>): Promise<void> => {
  const { account, store, clock } = context;
  const stored = new Map(
    (await store.sourceProxies.of(account.name, TESTED_PROXIES)).map((proxy) => [proxy.id, proxy]),
  );
  await setImmediate();
  const current = new Map(
    (await readTestedProxies(context)).map(({ endpointKey: _, ...proxy }) => [proxy.id, proxy]),
  );
  const changed = await runInTurns(
    flatMapInSteps(current.values(), (proxy) =>
      isDeepStrictEqual(proxy, stored.get(proxy.id)) ? [] : [proxy],
    ),
  );
  const removedIds = [...stored.keys()].filter((id) => !current.has(id));
  if (changed.length + removedIds.length > 0)
    await store.sourceProxies.save(account.name, TESTED_PROXIES, changed, removedIds, clock.now());
};

/** Adds the lines of the proxies. Leaves out those whose password only an earlier process found. */
export const withLines = <P extends SourceProxy>(
  proxies: readonly P[],
  options: SourceOptions,
  found: readonly FoundProxy[],
): (P & { readonly line: Secret })[] => {
  const find = foundProxyLookup(options, found);
  return proxies.flatMap((proxy) => {
    const line = find(proxy)?.line;
    return line ? [{ ...proxy, line }] : [];
  });
};

/** Returns a lookup of what this process has found about a proxy, with its line. */
export const foundProxyLookup = (
  options: SourceOptions,
  found: readonly FoundProxy[],
): ((proxy: SourceProxy) => FoundProxy | undefined) => {
  // Of two equal proxies the first one is tested, so the first one's password counts.
  const known = [...configuredProxies(options), ...found].toReversed();
  const byKey = new Map(known.map((each) => [lineKey(each.proxy), each]));
  return (proxy) => byKey.get(lineKey(proxy));
};

const lineKey = (proxy: SourceProxy): string => `${proxy.id} ${proxy.protocol} ${endpointKey(proxy)}`;

const toTestedProxy = (proxy: SourceProxy): TestedProxy => ({ ...proxy, endpointKey: endpointKey(proxy) });

/** A found proxy with the id or the endpoint of an earlier one is the same proxy, and may add facts about it. */
const mergeProxies = (configured: readonly TestedProxy[], found: readonly TestedProxy[]): TestedProxy[] => {
  if (found.length === 0) return [...configured];
  const result = [...configured];
  const known = new Map(configured.toReversed().flatMap((proxy) => keysOf(proxy).map((key) => [key, proxy])));
  const duplicates = new Map<TestedProxy, TestedProxy>();
  for (const proxy of found) {
    const keys = keysOf(proxy);
    const [first = proxy] = keys.flatMap((key) => known.get(key) ?? []);
    if (first === proxy) result.push(proxy);
    else if (proxy.facts && !duplicates.has(first)) duplicates.set(first, proxy);
    for (const key of keys) if (!known.has(key)) known.set(key, first);
  }
  return result.map((first) => completeFrom(first, duplicates.get(first)));
};

const keysOf = ({ id, endpointKey }: TestedProxy): string[] => [`id ${id}`, `at ${endpointKey}`];

/** Fills in values that the proxy lacks from its duplicate. */
const completeFrom = (proxy: TestedProxy, duplicate: TestedProxy | undefined): TestedProxy => ({
  ...proxy,
  productType: proxy.productType || (duplicate?.productType ?? ''),
  facts: proxy.facts ?? duplicate?.facts ?? null,
});
