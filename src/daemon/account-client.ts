// Creates an account's client for the provider's API from its settings, and holds it: a reload may replace it while runs use it.

import { MINUTE } from '../lib/time.ts';
import { createProviderClient, type ProviderClient } from '../provider/client.ts';
import type { ProviderClientOptions } from '../provider/client-options.ts';
import type { EndpointSummary, Endpoints } from '../provider/endpoints.ts';
import type { Pace } from '../provider/pace.ts';
import type { AccountTrouble } from '../schedule/outage-log.ts';
import type { AccountEndpoints } from './account-endpoints.ts';
import type { Account } from './settings.ts';

const OUTAGE_MS = MINUTE;

export class AccountClient implements AsyncDisposable {
  /** All clients of the account share it, because a pause applies to new keys too. */
  readonly endpoints: AccountEndpoints;
  readonly #connect: (settings: Account, endpoints: Endpoints) => ProviderClient;
  #client: ProviderClient;
  /** Runs that use the current client. */
  #uses = new Set<Promise<unknown>>();
  readonly #closing = new Set<Promise<void>>();
  /** By collector whose newest runs failed: how many answers there had been when the first of these runs ended. */
  readonly #answersAtFailure = new Map<string, number>();

  constructor(
    settings: Account,
    endpoints: AccountEndpoints,
    connect: (settings: Account, endpoints: Endpoints) => ProviderClient,
  ) {
    this.endpoints = endpoints;
    this.#connect = connect;
    this.#client = connect(settings, endpoints.tracker);
  }

  get endpointSummary(): EndpointSummary {
    return this.endpoints.tracker.summary;
  }

  get pace(): Pace {
    return this.#client.pace;
  }

  /** Whether the provider has recently asked for a lower pace than configured, and requests are waiting. */
  get isThrottled(): boolean {
    const { waiting, limitPerSecond, configuredPerSecond } = this.#client.pace;
    return waiting > 0 && limitPerSecond < configuredPerSecond;
  }

  /** Whether no request was answered for at least a minute; one failed run alone is no outage. */
  get isUnreached(): boolean {
    const { since = 0, newestAt = 0 } = this.endpointSummary.unreached ?? {};
    return newestAt - since >= OUTAGE_MS;
  }

  runEnded(collector: string, isFailed: boolean): void {
    const { answers } = this.endpoints.tracker;
    if (!isFailed) this.#answersAtFailure.delete(collector);
    else if (!this.#answersAtFailure.has(collector)) this.#answersAtFailure.set(collector, answers);
  }

  /**
   * Whether the provider has answered no request of the account since the collector began to fail, or since the start if
   * it failed before. If the provider has answered other collectors meanwhile, the collector fails alone.
   */
  isUnanswered(collector: string): boolean {
    const { unreached } = this.endpointSummary;
    const { answers } = this.endpoints.tracker;
    return unreached !== null && (this.#answersAtFailure.get(collector) ?? 0) === answers;
  }

  /** Whether the newest answer of any of the endpoints is a 429. */
  isAnyRefused(endpoints: readonly string[]): boolean {
    return this.endpointSummary.endpoints.some(
      ({ endpoint, refusedSince }) => refusedSince !== null && endpoints.includes(endpoint),
    );
  }

  get trouble(): AccountTrouble {
    const { endpoints, unreached, keysRejectedSince } = this.endpointSummary;
    const rejections = keysRejectedSince === null ? [] : endpoints.map(({ rejectedSince }) => rejectedSince);
    return {
      unansweredSince: unreached?.since,
      refusedSince: earliest(endpoints.map(({ refusedSince }) => refusedSince)),
      rejectedSince: earliest(rejections),
    };
  }

  /** Calls `work` with the current client, which stays open until `work` has ended. */
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

  /** Later calls of `use` get a client with these settings; the old client is closed when its last use ends. */
  replace(settings: Account): void {
    const [client, uses] = [this.#client, this.#uses];
    this.#client = this.#connect(settings, this.endpoints.tracker);
    this.#uses = new Set();
    const closed = Promise.allSettled(uses).then(() => client[Symbol.asyncDispose]());
    this.#closing.add(closed);
    closed.then(() => this.#closing.delete(closed));
  }

  /** To be called once all uses have ended or were aborted. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
    await Promise.all(this.#closing);
  }
}

const earliest = (times: readonly (number | null)[]): number | undefined => {
  const known = times.filter((at) => at !== null);
  return known.length === 0 ? undefined : Math.min(...known);
};

export const createAccountClient = (
  { base_url, public_key, private_key, requests_per_second, request_timeout }: Account,
  options: Pick<ProviderClientOptions, 'clock' | 'userAgent' | 'observer' | 'endpoints'>,
): ProviderClient =>
  createProviderClient({
    baseUrl: base_url,
    keys: { publicKey: public_key, privateKey: private_key },
    requestsPerSecond: requests_per_second,
    requestTimeoutMs: request_timeout,
    ...options,
  });
