// Finds out which of the account's proxies are tested, by id or by host and port, so that each proxy is shown once.

import type { InventoryProxy } from '../../store/inventory-store.ts';
import type { SourceProxy } from '../../store/source-proxy-store.ts';

export class TestedProxies {
  readonly #remaining: Map<string, SourceProxy>;
  readonly #byEndpoint: ReadonlyMap<string, readonly SourceProxy[]>;

  constructor(testedProxies: readonly SourceProxy[]) {
    this.#remaining = new Map(testedProxies.map((testedProxy) => [testedProxy.id, testedProxy]));
    // The provider's id identifies a proxy. A tested proxy without one is identified by host and port.
    const withoutId = testedProxies.filter(({ providerId }) => providerId === null);
    this.#byEndpoint = Map.groupBy(withoutId, ({ protocol, host, port }) => `${protocol} ${host}:${port}`);
  }

  /** Removes and returns the tested proxies that are this proxy. There are several if it is tested as several users. */
  take({ id, address, httpPort, socks5Port }: InventoryProxy): SourceProxy[] {
    const endpoints = [`http ${address}:${httpPort}`, `socks5 ${address}:${socks5Port}`];
    const ids = [
      id,
      ...endpoints.flatMap((key) => this.#byEndpoint.get(key) ?? []).map((testedProxy) => testedProxy.id),
    ];
    return [...new Set(ids)].flatMap((testedId) => {
      const testedProxy = this.#remaining.get(testedId);
      this.#remaining.delete(testedId);
      return testedProxy ?? [];
    });
  }

  /** Returns the tested proxies that are no known proxies of the account. */
  remaining(): Iterable<SourceProxy> {
    return this.#remaining.values();
  }
}
