// A source of proxies with what this process has found through it: the only place where found passwords are kept.

import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../../../store/target-store.ts';
import type { CommonOptions, RunContext } from '../../collector.ts';
import type { FoundProxy } from '../proxy-entry.ts';
import type { ProxySource, SourceList } from './source.ts';

export class FoundProxies {
  readonly source: ProxySource;
  #found: ReadonlyMap<string, FoundProxy> = new Map();
  #readAt: number | undefined;
  #skipped = 0;

  constructor(source: ProxySource) {
    this.source = source;
  }

  /** Items of the source, as it was last read, that can't be used. */
  get skipped(): number {
    return this.#skipped;
  }

  /** None that only an earlier process has found: passwords don't outlive it. */
  get proxies(): readonly FoundProxy[] {
    return [...this.#found.values()];
  }

  /**
   * Reads the source when it is due, and brings what has changed to the store. Throws ProviderError and StoreError;
   * then what was found before stands, and the next round tries again.
   */
  async refresh(context: RunContext<CommonOptions>, discoverEveryMs: number): Promise<void> {
    const now = context.clock.now();
    if (!this.#isDue(now, discoverEveryMs)) return;
    const list = await this.source.list(context);
    const listed = byId(list);
    await save(context, this.source.name, listed, list);
    const kept = [...this.#found].filter(([id]) => !list.isGone(id));
    this.#found = new Map([...kept, ...listed]);
    this.#skipped = list.skipped;
    this.#readAt = now;
  }

  #isDue(now: number, discoverEveryMs: number): boolean {
    if (!this.source.asksProvider || this.#readAt === undefined) return true;
    return this.#readAt > now || this.#readAt <= now - discoverEveryMs;
  }
}

const byId = ({ proxies }: SourceList): Map<string, FoundProxy> =>
  new Map(proxies.toReversed().map((proxy) => [proxy.target.id, proxy]));

/** Most proxies are as they were: only the others are written. */
const save = async (
  { account, store }: RunContext<CommonOptions>,
  source: string,
  listed: ReadonlyMap<string, FoundProxy>,
  { isGone }: SourceList,
): Promise<void> => {
  const stored = new Map<string, Target>();
  for (const target of await store.targets.of(account.name, source)) stored.set(target.id, target);
  const changed = [...listed.values()]
    .map(({ target }) => target)
    .filter((target) => !isDeepStrictEqual(target, stored.get(target.id)));
  const goneIds = [...stored.keys()].filter((id) => !listed.has(id) && isGone(id));
  if (changed.length + goneIds.length > 0) await store.targets.save(account.name, source, changed, goneIds);
};
