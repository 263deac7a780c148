// Answers requests for a probe: finds the account, shares results of the last 30 seconds, and renders the answer.

import type { ProbeSubject, RequestedProbe } from '../collectors/collector.ts';
import type { ProbeAnswer, ProbeOnRequest, ProbeView } from '../http/daemon-view.ts';
import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';
import { PROBE_CONTENT_TYPE, type ProbeMeasurement, probeText } from '../metrics/probe-text.ts';
import type { ProbeResult } from '../prober/probe.ts';
import type { RunningAccount } from './account.ts';
import type { AccountJob } from './account-job.ts';
import { ProbeCache, RESULT_AGE_MS } from './probe-cache.ts';

/** The part of a client's timeout that is left for the answer (ms). */
const ANSWER_MS = SECOND / 2;
// The mistake does not repeat the request, because it may contain a password.
const UNKNOWN_ACCOUNT = 'account: not the name of a configured account';
const STOPPING = 'the daemon is stopping';
const RELOADED = 'the configuration was changed during the request; try again';

interface Found {
  readonly job: AccountJob;
  readonly parallel: number;
  /** `probes.timeout` (ms). */
  readonly timeout: number;
}

export interface ProbeRequestOptions {
  readonly clock: Clock;
  readonly accounts: () => readonly RunningAccount[];
}

/** Disposing ends probes that run, and waits until the store knows their bytes. */
export class ProbeRequests implements ProbeView, AsyncDisposable {
  readonly #accounts: ProbeRequestOptions['accounts'];
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<RequestedProbe>>();
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
    const { job, parallel, timeout } = found;
    const limitMs = Math.min(timeout, limitOf(waitsMs));
    const wanted = { key: JSON.stringify([proxy, url]), parallel, limitMs };
    const answer = await this.#cacheOf(job).get(wanted, (limitMs) => this.#run(job, { proxy, url, limitMs }));
    if (answer === 'late') return lateAnswer(limitMs);
    if (answer === 'busy')
      return refuse(`${parallel} requested probes run already, which is the limit probes.parallel`);
    return toAnswer(answer.result, answer.ageMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  async #run(job: AccountJob, subject: ProbeSubject): Promise<RequestedProbe> {
    if (this.#stop.signal.aborted) return { refusal: STOPPING };
    // A request can begin a second probe after it waited for another one. The job may have been replaced meanwhile.
    if (!this.#accounts().some(({ jobs }) => jobs.includes(job))) return { refusal: RELOADED };
    const running = job.probe?.(subject, this.#stop.signal);
    if (!running) return { mistake: 'the collector makes no probes' };
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #findAccount(name: string | undefined): Found | { mistake: string } {
    const accounts = this.#accounts();
    if (name !== undefined && !accounts.some((account) => account.name === name))
      return { mistake: UNKNOWN_ACCOUNT };
    const [found, ...others] = accounts
      .filter((account) => name === undefined || account.name === name)
      .flatMap(({ jobs, settings }) => {
        const job = jobs.find((each) => each.probe !== undefined);
        return job && settings.probes
          ? [{ job, parallel: settings.probes.parallel, timeout: settings.probes.timeout }]
          : [];
      });
    if (others.length > 0) return { mistake: 'account: give it, because several accounts have probes' };
    return found ?? { mistake: 'probes: no such section in the configuration of the account' };
  }

  #cacheOf(job: AccountJob): ProbeCache<RequestedProbe> {
    const cache =
      this.#caches.get(job) ??
      new ProbeCache({ clock: this.#clock, isKept: (answer) => 'result' in answer, isTimeout });
    this.#caches.set(job, cache);
    return cache;
  }
}

const limitOf = (waitsMs = Number.POSITIVE_INFINITY): number => Math.max(waitsMs - ANSWER_MS, waitsMs / 2);

/** A probe that waited for its lookup until its limit has the cause `local`. */
const isTimeout = (answer: RequestedProbe): boolean => {
  const failure = 'result' in answer ? answer.result.failure : null;
  return failure?.cause === 'timeout' || (failure?.phase === 'resolve' && failure.cause === 'local');
};

const RETRY_AFTER_S = RESULT_AGE_MS / SECOND;

export const refuse = (refusal: string): ProbeAnswer => ({ refusal, retryAfterS: RETRY_AFTER_S });

export const toAnswer = (answer: RequestedProbe, ageMs: number): ProbeAnswer => {
  if ('mistake' in answer) return answer;
  if ('refusal' in answer) return refuse(answer.refusal);
  return textOf(toMeasurement(answer.result, ageMs));
};

/** For a client that cannot wait for the probe of another client. Its phase and its bytes are not known yet. */
export const lateAnswer = (waitedMs: number): ProbeAnswer =>
  textOf({
    ...{ isSuccessful: false, durationMs: waitedMs, phases: {}, bytes: null, status: null },
    ...{ certificateNotAfter: null, failure: { phase: '', cause: 'timeout', code: null }, ageMs: 0 },
  });

const textOf = (measured: ProbeMeasurement): ProbeAnswer => ({
  contentType: PROBE_CONTENT_TYPE,
  text: probeText(measured),
});

const toMeasurement = (result: ProbeResult, ageMs: number): ProbeMeasurement => {
  const { failure, phases, durationMs, bytes, status, certificate, proxyAnswer } = result;
  return {
    ...{ phases, durationMs, bytes, status, ageMs },
    isSuccessful: failure === null,
    certificateNotAfter: certificate?.notAfter ?? null,
    failure: failure && { phase: failure.phase, cause: failure.cause, code: proxyAnswer?.code ?? null },
  };
};
