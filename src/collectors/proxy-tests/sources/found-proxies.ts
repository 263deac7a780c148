// A source of proxies with what this process has found through it: the only place where found passwords are kept.

import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../../../store/target-store.ts';
import type { CommonOptions } from '../../collector.ts';
import type { RunContext } from '../../context.ts';
import type { FoundProxy } from './proxy-entry.ts';
import type { Failure, ProxySource, SourceList } from './source.ts';

export class FoundProxies {
  readonly source: ProxySource;
  #found: ReadonlyMap<string, FoundProxy> = new Map();
  #readAt: number | undefined;
  #skipped = 0;
  /** What a doubtful list lacked. */
  #missing: ReadonlySet<string> = new Set();

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
   * Reads the source when it is due, and brings what has changed to the store. Returns why the list is not whole, if it
   * is not. Throws ProviderError and StoreError; then what was found before stands, and the next round tries again.
   */
  async refresh(context: RunContext<CommonOptions>, discoverEveryMs: number): Promise<Failure | undefined> {
    const { account, store, clock } = context;
    const now = clock.now();
    if (!this.#isDue(now, discoverEveryMs)) return undefined;
    const list = await this.source.list(context);
    const stored = await store.targets.of(account.name, this.source.name);
    const listed = byId(list);
    const missing = stored.map(({ id }) => id).filter((id) => !listed.has(id) && list.isGone(id));
    const gone = new Set(list.isDoubtful ? missing.filter((id) => this.#missing.has(id)) : missing);
    const changed = changedIn(listed, stored);
    if (changed.length + gone.size > 0)
      await store.targets.save(account.name, this.source.name, changed, [...gone], now);
    const kept = [...this.#found].filter(([id]) => !gone.has(id));
    this.#found = new Map([...kept, ...listed]);
    this.#missing = new Set(missing.filter((id) => !gone.has(id)));
    this.#skipped = list.skipped;
    this.#readAt = list.failure ? undefined : now;
    return list.failure;
  }

  #isDue(now: number, discoverEveryMs: number): boolean {
    if (!this.source.asksProvider || this.#readAt === undefined || this.#missing.size > 0) return true;
    return this.#readAt > now || this.#readAt <= now - discoverEveryMs;
  }
}

const byId = ({ proxies }: SourceList): Map<string, FoundProxy> =>
  new Map(proxies.toReversed().map((proxy) => [proxy.target.id, proxy]));

/** Most proxies are as they were: only the others are written. */
const changedIn = (listed: ReadonlyMap<string, FoundProxy>, stored: readonly Target[]): Target[] => {
  const known = new Map(stored.map((target) => [target.id, target]));
  return [...listed.values()]
    .map(({ target }) => target)
    .filter((target) => !isDeepStrictEqual(target, known.get(target.id)));
};
