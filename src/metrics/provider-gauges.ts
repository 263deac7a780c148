// Writes the pace of the accounts' requests, the state of their endpoints, and the provider's clock.

import type { SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';
import type { EndpointSummary } from '../provider/endpoints.ts';
import type { Pace } from '../provider/pace.ts';
import {
  API_CONFIGURED,
  API_KEYS_REJECTED_SINCE,
  API_LAST_SUCCESS,
  API_LIMIT,
  API_PAUSED_UNTIL,
  API_REFUSED_SINCE,
  API_REJECTED_SINCE,
  API_UNREACHED,
  API_WAITING,
  CLOCK_OFFSET,
  COLLECTOR_UNANSWERED,
} from './daemon-families.ts';

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
      sink.sample(API_WAITING, { account }, waiting);
      sink.sample(API_LIMIT, { account }, limitPerSecond);
      sink.sample(API_CONFIGURED, { account }, configuredPerSecond);
    }
    for (const [account, state] of this.#states) writeState(account, state(), sink);
    for (const [account, offsetMs] of this.#clockOffsets)
      sink.sample(CLOCK_OFFSET, { account }, offsetMs / SECOND);
  }
}

const writeState = (
  account: string,
  { endpoints, unreached, keysRejectedSince, unanswered }: ApiState,
  sink: SampleSink,
): void => {
  for (const { endpoint, lastSuccessAt, rejectedSince, refusedSince, pausedUntil } of endpoints) {
    const labels = { account, api_endpoint: endpoint };
    sink.sample(API_PAUSED_UNTIL, labels, inSeconds(pausedUntil));
    sink.sample(API_REFUSED_SINCE, labels, inSeconds(refusedSince));
    sink.sample(API_REJECTED_SINCE, labels, inSeconds(rejectedSince));
    sink.sample(API_LAST_SUCCESS, labels, inSeconds(lastSuccessAt));
  }
  sink.sample(API_KEYS_REJECTED_SINCE, { account }, inSeconds(keysRejectedSince));
  for (const [collector, isUnanswered] of unanswered)
    sink.sample(COLLECTOR_UNANSWERED, { account, collector }, Number(isUnanswered));
  if (unreached) sink.sample(API_UNREACHED, { account }, (unreached.newestAt - unreached.since) / SECOND);
};

const inSeconds = (ms: number | null): number | null => ms && ms / SECOND;
