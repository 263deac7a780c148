// Writes the pace of the accounts' requests, the state of their endpoints, and the provider's clock.

import { asSeconds, sampleAll } from '../collectors/families.ts';
import type { SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import type { EndpointSummary } from '../provider/endpoints.ts';
import type { Pace } from '../provider/pace.ts';
import { families } from './daemon-families.ts';

/** Times are in ms since the epoch. */
interface ApiState extends Omit<EndpointSummary, 'endpoints'> {
  readonly endpoints: readonly Omit<EndpointSummary['endpoints'][number], 'rejectedStatus'>[];
  /** By collector: whether the provider has answered no request of the account since the collector began to fail. */
  readonly unanswered: ReadonlyMap<string, boolean>;
}

export class ProviderGauges {
  readonly #paces = new Map<string, Pace>();
  readonly #states = new Map<string, () => ApiState>();
  readonly #clockOffsets = new Map<string, number>();

  /** Reads this pace at every scrape until `forgetAccount`. */
  watchPace(account: string, pace: Pace): void {
    this.#paces.set(account, pace);
  }

  /** Reads the state of the account's endpoints at every scrape until `forgetAccount`. */
  watchEndpoints(account: string, state: () => ApiState): void {
    this.#states.set(account, state);
  }

  /** Sets the provider's clock minus ours (ms), from the provider's last answer. */
  clockOffsetMeasured(account: string, offsetMs: number): void {
    this.#clockOffsets.set(account, offsetMs);
  }

  forgetAccount(account: string): void {
    for (const values of [this.#paces, this.#states, this.#clockOffsets]) values.delete(account);
  }

  writeGauges(sink: SampleSink): void {
    for (const [account, { waiting, limitPerSecond, configuredPerSecond }] of this.#paces) {
      sampleAll(sink, { account }, families, {
        proxywatch_api_requests_waiting: waiting,
        proxywatch_api_requests_per_second_limit: limitPerSecond,
        proxywatch_api_requests_per_second_configured: configuredPerSecond,
      });
    }
    for (const [account, state] of this.#states) writeState(account, state(), sink);
    for (const [account, offsetMs] of this.#clockOffsets)
      sink.sample(families.proxywatch_provider_clock_offset_seconds, { account }, offsetMs / SECOND);
  }
}

const writeState = (
  account: string,
  { endpoints, unreached, keysRejectedSince, unanswered }: ApiState,
  sink: SampleSink,
): void => {
  for (const { endpoint, lastSuccessAt, rejectedSince, refusedSince, pausedUntil } of endpoints) {
    sampleAll(sink, { account, api_endpoint: endpoint }, families, {
      proxywatch_api_endpoint_paused_until_timestamp_seconds: asSeconds(pausedUntil),
      proxywatch_api_refused_since_timestamp_seconds: asSeconds(refusedSince),
      proxywatch_api_rejected_since_timestamp_seconds: asSeconds(rejectedSince),
      proxywatch_api_last_success_timestamp_seconds: asSeconds(lastSuccessAt),
    });
  }
  sampleAll(sink, { account }, families, {
    proxywatch_api_keys_rejected_since_timestamp_seconds: asSeconds(keysRejectedSince),
    proxywatch_api_unreached_seconds: unreached && (unreached.newestAt - unreached.since) / SECOND,
  });
  for (const [collector, isUnanswered] of unanswered)
    sink.sample(families.proxywatch_collector_unanswered, { account, collector }, Number(isUnanswered));
};
