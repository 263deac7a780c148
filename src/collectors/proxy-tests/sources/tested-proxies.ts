// Which proxies are tested: those of the configuration itself, and those that its sources found, each once.

import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../../../lib/secret.ts';
import { type Target, TESTED } from '../../../store/target-store.ts';
import type { ReadContext } from '../../context.ts';
import type { ProxyTestOptions } from '../options.ts';
import { type FoundProxy, proxyOf } from './proxy-entry.ts';
import { endpointKey } from './proxy-line.ts';
import { sourcesOf } from './sources.ts';

export interface TestedProxy extends Target {
  /** Alike for proxies whose results could not be told apart in one test run. */
  readonly endpointKey: string;
}

/** The proxies that stand in the configuration itself. */
export const configuredProxies = ({ proxies }: ProxyTestOptions): FoundProxy[] =>
  proxies.flatMap((entry) => ('proxy' in entry ? proxyOf(entry) : []));

/** The configured proxies and, after them, what the sources found as it is stored. */
export const testedProxies = async ({
  account,
  options,
  store,
}: ReadContext<ProxyTestOptions>): Promise<TestedProxy[]> => {
  const configured = configuredProxies(options).map(({ target }) => tested(target));
  const found: TestedProxy[] = [];
  for (const { name } of sourcesOf(options)) {
    for (const target of await store.targets.of(account.name, name)) found.push(tested(target));
  }
  return merged(configured, found);
};

/** Stores which proxies are tested, for readings that know nothing of sources; most are as they were. */
export const noteTested = async (context: ReadContext<ProxyTestOptions>): Promise<void> => {
  const { account, store, clock } = context;
  const stored = new Map((await store.targets.of(account.name, TESTED)).map((target) => [target.id, target]));
  const present = new Map(
    (await testedProxies(context)).map(({ endpointKey: _, ...target }) => [target.id, target]),
  );
  const changed = [...present.values()].filter((target) => !isDeepStrictEqual(target, stored.get(target.id)));
  const goneIds = [...stored.keys()].filter((id) => !present.has(id));
  if (changed.length + goneIds.length > 0)
    await store.targets.save(account.name, TESTED, changed, goneIds, clock.now());
};

/** The line that a test of a proxy takes; none where only an earlier process found the proxy's password. */
export const linesOf = (
  options: ProxyTestOptions,
  found: readonly FoundProxy[],
): ((proxy: Target) => Secret | undefined) => {
  // Of two that are alike the first is tested, so the first one's password counts.
  const known = [...configuredProxies(options), ...found].toReversed();
  const lines = new Map(known.map(({ target, line }) => [lineKey(target), line]));
  return (proxy) => lines.get(lineKey(proxy));
};

const lineKey = (proxy: Target): string => `${proxy.id} ${proxy.protocol} ${endpointKey(proxy)}`;

const tested = (target: Target): TestedProxy => ({ ...target, endpointKey: endpointKey(target) });

/** A found proxy with the id or the endpoint of one before it is the same one, and may say more of it. */
const merged = (configured: readonly TestedProxy[], found: readonly TestedProxy[]): TestedProxy[] => {
  if (found.length === 0) return [...configured];
  const firsts = [...configured];
  const known = new Map(configured.toReversed().flatMap((proxy) => keysOf(proxy).map((key) => [key, proxy])));
  const twins = new Map<TestedProxy, TestedProxy>();
  for (const proxy of found) {
    const keys = keysOf(proxy);
    const [first = proxy] = keys.flatMap((key) => known.get(key) ?? []);
    if (first === proxy) firsts.push(proxy);
    else if (proxy.facts && !twins.has(first)) twins.set(first, proxy);
    for (const key of keys) if (!known.has(key)) known.set(key, first);
  }
  return firsts.map((first) => completed(first, twins.get(first)));
};

const keysOf = ({ id, endpointKey }: TestedProxy): string[] => [`id ${id}`, `at ${endpointKey}`];

const completed = (proxy: TestedProxy, twin: TestedProxy | undefined): TestedProxy => ({
  ...proxy,
  productType: proxy.productType || (twin?.productType ?? ''),
  facts: proxy.facts ?? twin?.facts ?? null,
});
