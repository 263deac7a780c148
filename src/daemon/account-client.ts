// An account's client of the provider's API, which another configuration may replace while runs use it.

import { MINUTE } from '../lib/time.ts';
import type { Pace } from '../metrics/daemon-metrics.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Endpoints, Standing } from '../provider/endpoints.ts';
import type { AccountEndpoints } from './account-endpoints.ts';
import type { Account } from './settings.ts';

const OUTAGE_MS = MINUTE;

export class AccountClient implements AsyncDisposable {
  /** The same for all clients of the account: other keys end no pause. */
  readonly endpoints: AccountEndpoints;
  readonly #connect: (settings: Account, endpoints: Endpoints) => ProviderClient;
  #client: ProviderClient;
  /** Runs that use the present client. */
  #uses = new Set<Promise<unknown>>();
  readonly #retiring = new Set<Promise<void>>();

  constructor(
    settings: Account,
    endpoints: AccountEndpoints,
    connect: (settings: Account, endpoints: Endpoints) => ProviderClient,
  ) {
    this.endpoints = endpoints;
    this.#connect = connect;
    this.#client = connect(settings, endpoints.live);
  }

  get standing(): Standing {
    return this.endpoints.live.standing;
  }

  get pace(): Pace {
    return this.#client.pace;
  }

  /** Whether the provider has lately asked for fewer requests than are configured, and some wait. */
  get isThrottled(): boolean {
    const { waiting, limitPerSecond, configuredPerSecond } = this.#client.pace;
    return waiting > 0 && limitPerSecond < configuredPerSecond;
  }

  /** Whether all requests of more than a minute were lost: a single run that fails is no outage. */
  get isUnreached(): boolean {
    const { since = 0, newestAt = 0 } = this.standing.unreached ?? {};
    return newestAt - since >= OUTAGE_MS;
  }

  /** Calls `work` with the present client, which stays open until `work` has ended. */
  async use<T>(work: (client: ProviderClient) => Promise<T>): Promise<T> {
    const uses = this.#uses;
    const use = work(this.#client);
    uses.add(use);
    try {
      return await use;
    } finally {
      uses.delete(use);
    }
  }

  /** Whoever comes from now on gets a client of these settings; the old one is closed when its last use ends. */
  replace(settings: Account): void {
    const [client, uses] = [this.#client, this.#uses];
    this.#client = this.#connect(settings, this.endpoints.live);
    this.#uses = new Set();
    const retired = Promise.allSettled(uses).then(() => client[Symbol.asyncDispose]());
    this.#retiring.add(retired);
    retired.then(() => this.#retiring.delete(retired));
  }

  /** When all uses have ended or were aborted. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
    await Promise.all(this.#retiring);
  }
}
