// Which of the account's proxies are tested, under whatever id: each is shown once.

import type { InventoryProxy } from '../../store/inventory-store.ts';
import type { Target } from '../../store/target-store.ts';

export class TestedProxies {
  readonly #left: Map<string, Target>;
  readonly #byEndpoint: ReadonlyMap<string, readonly Target[]>;

  constructor(targets: readonly Target[]) {
    this.#left = new Map(targets.map((target) => [target.id, target]));
    // The provider's id tells for certain; who has none is known by host and port.
    const nameless = targets.filter(({ providerId }) => providerId === null);
    this.#byEndpoint = Map.groupBy(nameless, ({ protocol, host, port }) => `${protocol} ${host}:${port}`);
  }

  /** The tested ones that are this proxy, not to be taken again: several where several users are tested. */
  take({ id, address, httpPort, socks5Port }: InventoryProxy): Target[] {
    const endpoints = [`http ${address}:${httpPort}`, `socks5 ${address}:${socks5Port}`];
    const ids = [
      id,
      ...endpoints.flatMap((key) => this.#byEndpoint.get(key) ?? []).map((target) => target.id),
    ];
    return [...new Set(ids)].flatMap((tested) => {
      const target = this.#left.get(tested);
      this.#left.delete(tested);
      return target ?? [];
    });
  }

  /** Those that are none of the account's, as far as is known. */
  left(): Iterable<Target> {
    return this.#left.values();
  }
}
