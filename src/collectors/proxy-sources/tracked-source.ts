// Keeps what this process has found through the sources of proxies, and refreshes them before a round. Found passwords are kept only here.

import { isDeepStrictEqual } from 'node:util';
import { MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { SourceProxy } from '../../store/source-proxy-store.ts';
import type { CommonOptions, FailedPart, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { OtherCustomerError } from '../customer.ts';
import type { FoundProxy } from './proxy-entry.ts';
import type { ProxySource, SourceFailure, SourceList } from './source.ts';

export class TrackedSource {
  readonly source: ProxySource;
  #found: ReadonlyMap<string, FoundProxy> = new Map();
  #readAt: number | undefined;
  /** The number of items that could not be used when the source was last read. */
  skipped = 0;
  /** Ids that a suspicious list lacked. */
  #missing: ReadonlySet<string> = new Set();

  constructor(source: ProxySource) {
    this.source = source;
  }

  /** Does not include proxies that only an earlier process has found, because passwords are lost with the process. */
  get proxies(): readonly FoundProxy[] {
    return [...this.#found.values()];
  }

  /** Reads a due source and stores changes; none if it throws ProviderError or StoreError. Returns why it is incomplete. */
  async refresh(
    context: RunContext<CommonOptions>,
    discoverEveryMs: number,
  ): Promise<SourceFailure | undefined> {
    const { account, store, clock } = context;
    const now = clock.now();
    if (!this.#isDue(now, discoverEveryMs)) return undefined;
    const list = await this.source.list(context);
    const stored = await store.sourceProxies.of(account.name, this.source.name);
    const listed = byId(list);
    const missing = stored.map(({ id }) => id).filter((id) => !listed.has(id) && list.isRemoved(id));
    const removed = new Set(list.isSuspicious ? missing.filter((id) => this.#missing.has(id)) : missing);
    const changed = changedProxies(listed, stored);
    if (changed.length + removed.size > 0)
      await store.sourceProxies.save(account.name, this.source.name, changed, [...removed], now);
    const kept = [...this.#found].filter(([id]) => !removed.has(id));
    this.#found = new Map([...kept, ...listed]);
    this.#missing = new Set(missing.filter((id) => !removed.has(id)));
    this.skipped = list.skipped;
    this.#readAt = list.failure ? undefined : now;
    return list.failure;
  }

  #isDue(now: number, discoverEveryMs: number): boolean {
    if (!this.source.isFromProvider || this.#readAt === undefined || this.#missing.size > 0) return true;
    return this.#readAt > now || this.#readAt <= now - discoverEveryMs;
  }
}

const byId = ({ proxies }: SourceList): Map<string, FoundProxy> =>
  new Map(proxies.toReversed().map((proxy) => [proxy.proxy.id, proxy]));

/** Only changed proxies are written, because most have not changed. */
const changedProxies = (
  listed: ReadonlyMap<string, FoundProxy>,
  stored: readonly SourceProxy[],
): SourceProxy[] => {
  const known = new Map(stored.map((proxy) => [proxy.id, proxy]));
  return [...listed.values()]
    .map(({ proxy }) => proxy)
    .filter((proxy) => !isDeepStrictEqual(proxy, known.get(proxy.id)));
};

/** Errors that concern one source only. Any other error may also fail the next source of the same endpoint. */
const SOURCE_ERRORS = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);
/** If this many sources of an endpoint fail with such an error, its other sources are not read in this round. */
const MAX_ENDPOINT_FAILURES = 3;
/** All sources together wait this long for the end of pauses. The rest of the run is for the tests. */
const LONGEST_WAIT_MS = MINUTE;

/** Refreshes each source. A source that fails is a failed part, and what it found before is still tested. Throws StoreError. */
export const refreshSources = async (
  context: RunContext<CommonOptions>,
  sources: readonly TrackedSource[],
  discoverEveryMs: number,
): Promise<Outcome> => {
  const client = context.client.forRun(context.clock.monotonic() + LONGEST_WAIT_MS);
  const failedParts: FailedPart[] = [];
  const failuresByEndpoint = new Map<string, number>();
  let hasOtherCustomer = false;
  for (const tracked of sources) {
    const { name: part, endpoint = '', isFromProvider } = tracked.source;
    if (isFromProvider && hasOtherCustomer) continue;
    if ((failuresByEndpoint.get(endpoint) ?? 0) >= MAX_ENDPOINT_FAILURES) continue;
    try {
      const failure = await tracked.refresh({ ...context, client }, discoverEveryMs);
      if (failure) failedParts.push({ part, ...failure });
    } catch (error) {
      if (context.signal.aborted || !(error instanceof ProviderError)) throw error;
      failedParts.push({ part, error });
      // No answer may be stored until the keys belong to the right customer again.
      hasOtherCustomer ||= error instanceof OtherCustomerError;
      if (!SOURCE_ERRORS.has(error.kind))
        failuresByEndpoint.set(endpoint, (failuresByEndpoint.get(endpoint) ?? 0) + 1);
    }
  }
  return { skipped: sources.reduce((sum, { skipped }) => sum + skipped, 0), failedParts };
};
