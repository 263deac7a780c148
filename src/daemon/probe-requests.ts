// Answers requests for a probe: finds the account, shares results of the last 30 seconds, and renders the answer.

import type { RequestedProbe } from '../collectors/collector.ts';
import type { ProbeAnswer, ProbeOnRequest, ProbeView } from '../http/probe-view.ts';
import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';
import { PROBE_CONTENT_TYPE, type ProbeMeasurement, probeText } from '../metrics/probe-text.ts';
import type { ProbeResult } from '../prober/probe.ts';
import type { AccountJob, RunningAccount } from './account.ts';
import { ProbeCache, RESULT_AGE_MS } from './probe-cache.ts';

/** The part of a client's timeout that is left for the answer (ms). */
const ANSWER_MS = SECOND / 2;
const RETRY_AFTER_S = RESULT_AGE_MS / SECOND;

// The mistake does not repeat the request, because it may contain the line of a proxy with its password.
const UNKNOWN_ACCOUNT = 'account: not the name of a configured account';

export interface ProbeRequestOptions {
  readonly clock: Clock;
  readonly accounts: () => readonly RunningAccount[];
}

/** Disposing ends probes that run. */
export class ProbeRequests implements ProbeView, Disposable {
  readonly #accounts: ProbeRequestOptions['accounts'];
  readonly #stop = new AbortController();
  /** By job, so that a reload that changes the settings forgets the results. */
  readonly #caches = new WeakMap<AccountJob, ProbeCache<RequestedProbe>>();
  readonly #clock: Clock;

  constructor({ clock, accounts }: ProbeRequestOptions) {
    this.#clock = clock;
    this.#accounts = accounts;
  }

  /** Throws StoreError. */
  async probe({ account: name, proxy, url, waitsMs }: ProbeOnRequest): Promise<ProbeAnswer> {
    const found = this.#findAccount(name);
    if ('mistake' in found) return found;
    const { job, parallel } = found;
    const limitMs = waitsMs === undefined ? undefined : Math.max(waitsMs - ANSWER_MS, waitsMs / 2);
    const probe = async (): Promise<RequestedProbe> =>
      (await job.probe?.({ proxy, url, limitMs }, this.#stop.signal)) ?? {
        mistake: 'the collector makes no probes',
      };
    const answer = await this.#cacheOf(job).get(JSON.stringify([proxy, url]), parallel, probe);
    if (!answer)
      return refuse(`${parallel} requested probes run already, which is the limit probes.parallel`);
    return toAnswer(answer.result, answer.ageMs);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  #findAccount(name: string | undefined): { job: AccountJob; parallel: number } | { mistake: string } {
    const accounts = this.#accounts();
    if (name !== undefined && !accounts.some((account) => account.name === name))
      return { mistake: UNKNOWN_ACCOUNT };
    const [found, ...others] = accounts
      .filter((account) => name === undefined || account.name === name)
      .flatMap(({ jobs, settings }) => {
        const job = jobs.find((each) => each.probe !== undefined);
        return job && settings.probes ? [{ job, parallel: settings.probes.parallel }] : [];
      });
    if (others.length > 0) return { mistake: 'account: give it, because several accounts have probes' };
    return found ?? { mistake: 'probes: no such section in the configuration of the account' };
  }

  #cacheOf(job: AccountJob): ProbeCache<RequestedProbe> {
    const cache =
      this.#caches.get(job) ?? new ProbeCache<RequestedProbe>(this.#clock, (answer) => 'result' in answer);
    this.#caches.set(job, cache);
    return cache;
  }
}

const refuse = (refusal: string): ProbeAnswer => ({ refusal, retryAfterS: RETRY_AFTER_S });

const toAnswer = (answer: RequestedProbe, ageMs: number): ProbeAnswer => {
  if ('mistake' in answer) return answer;
  if ('refusal' in answer) return refuse(answer.refusal);
  return { contentType: PROBE_CONTENT_TYPE, text: probeText(toMeasurement(answer.result, ageMs)) };
};

const toMeasurement = (result: ProbeResult, ageMs: number): ProbeMeasurement => {
  const { failure, phases, durationMs, bytes, status, certificate, proxyAnswer } = result;
  return {
    ...{ phases, durationMs, bytes, status, ageMs },
    isSuccessful: failure === null,
    certificateNotAfter: certificate?.notAfter ?? null,
    failure: failure && { phase: failure.phase, cause: failure.cause, code: proxyAnswer?.code ?? null },
  };
};
