// Targets: the proxies that sources of the configuration found, as far as they may be known: without their passwords.

/** What the provider says of a proxy; empty where it is not known. */
export interface ProxyFacts {
  readonly status: string;
  readonly address: string;
  readonly countryId: string;
  readonly cityName: string;
  readonly asnId: string;
  readonly asnName: string;
  readonly subnetId: string;
  readonly serviceId: string;
}

export interface Target {
  /** The proxy's label `proxy_id`. */
  readonly id: string;
  /** Empty where it has none. */
  readonly name: string;
  /** The provider's id of the proxy, where it is known. */
  readonly providerId: string | null;
  /** Empty where it is not known. */
  readonly productType: string;
  /** Spoken with the proxy: http or socks5. */
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  /** Who asks the proxy: tells proxies apart that share host and port. */
  readonly username: string;
  /** Null where nobody but the operator speaks of the proxy. */
  readonly facts: ProxyFacts | null;
}

/** In place of a source: the proxies that are tested, whatever their sources, each once. */
export const TESTED = '';

export interface TargetStore {
  /** What a source found, by id. */
  of(account: string, source: string): Promise<Target[]>;
  /** By id: since when the source has it (ms). */
  since(account: string, source: string): Promise<Map<string, number>>;
  /** Stores what a source found anew or changed, and forgets what is gone, in one transaction. */
  save(
    account: string,
    source: string,
    changed: readonly Target[],
    goneIds: readonly string[],
    now: number,
  ): Promise<void>;
  /** Forgets what any other source found; TESTED stays. */
  retain(account: string, sources: readonly string[]): Promise<void>;
}
