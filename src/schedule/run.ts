// Tracks a run in progress, logs its progress at growing intervals when it takes long, and summarizes and logs how it ended.

import type { FailedPart, Outcome } from '../collectors/collector.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import { SECOND } from '../lib/time.ts';
import type { FinishedRun, RunResult } from '../store/account-store.ts';
import { describeFailure, FailureNews } from './failure.ts';
import type { Job } from './job.ts';
import type { OutageLog } from './outage-log.ts';

/** The shortest time after which the progress of a run is logged. It is logged again after twice that time, and so on. */
const FIRST_LOG_MS = 10 * SECOND;

export class Run {
  /** ms since the epoch. */
  readonly startedAt: number;
  progress: Progress | null = null;
  readonly #clock: Clock;
  readonly #startedMonotonic: number;
  readonly #firstLogMs: number;
  #nextLogMs: number;

  /** A run that takes up to `usualMs` is not worth a line. */
  constructor(clock: Clock, usualMs = 0) {
    this.#clock = clock;
    this.#firstLogMs = Math.max(FIRST_LOG_MS, usualMs);
    this.#nextLogMs = this.#firstLogMs;
    this.startedAt = clock.now();
    this.#startedMonotonic = clock.monotonic();
  }

  /** Whether the progress of this run was logged at least once. */
  get wasProgressLogged(): boolean {
    return this.#nextLogMs > this.#firstLogMs;
  }

  logProgress(log: Log): void {
    const durationMs = this.#clock.monotonic() - this.#startedMonotonic;
    if (durationMs < this.#nextLogMs) return;
    while (this.#nextLogMs <= durationMs) this.#nextLogMs *= 2;
    log.info({ durationMs: Math.round(durationMs), ...this.progress }, 'run still in progress');
  }
}

/** What the collector returned or threw. */
export type CollectResult = Outcome | { readonly thrown: unknown };

interface RunSummary extends Pick<FinishedRun, 'errorKind' | 'errorMessage' | 'isSuccess'> {
  readonly result: RunResult;
  readonly outcome: Outcome;
}

/** Summarizes the run for its record in the store. */
export const summarizeRun = (result: CollectResult): RunSummary => {
  if ('thrown' in result) {
    const { kind, message } = describeFailure(result.thrown);
    return {
      result: 'failed',
      isSuccess: false,
      errorKind: kind,
      errorMessage: message,
      outcome: { skipped: 0, failedParts: [] },
    };
  }
  const [first] = result.failedParts;
  if (!first) return { result: 'ok', isSuccess: true, errorKind: null, errorMessage: null, outcome: result };
  const { kind } = describeFailure(first.error);
  const { isSuccessDespiteFailures: isSuccess = false } = result;
  const errorMessage = describeParts(result.failedParts);
  return { result: 'partial', isSuccess, errorKind: kind, errorMessage, outcome: result };
};

/** The most failed parts that the stored error message names, so that it fits on the status page. The log names all. */
const MAX_NAMED_PARTS = 3;

const describeParts = (parts: readonly FailedPart[]): string => {
  const named = parts
    .slice(0, MAX_NAMED_PARTS)
    .map(({ part, error }) => `${part}: ${describeFailure(error).message}`);
  const others = parts.length - named.length;
  const rest = others === 1 ? '1 more part fails' : `${others} more parts fail`;
  return [...named, ...(others > 0 ? [rest] : [])].join('; ');
};

interface RunLogOptions {
  readonly job: Pick<Job, 'trouble'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly outages: OutageLog;
  /** Whether an error is logged elsewhere, once for all jobs. */
  readonly isLogged?: ((error: unknown) => boolean) | undefined;
}

export class RunLog {
  readonly #options: RunLogOptions;
  readonly #runs = new FailureNews();
  readonly #parts = new Map<string, FailureNews>();
  #hasSucceeded = false;

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  /** Logs the end of a run. If its progress was logged (`wasProgressLogged`), the end is logged at level `info`. */
  runEnded(run: FinishedRun, result: CollectResult, wasProgressLogged: boolean): void {
    const { job, log, clock, outages } = this.#options;
    const durationMs = run.finishedAt - run.startedAt;
    this.#logParts(result);
    if ('thrown' in result) this.#logFailure(result.thrown, durationMs);
    else
      log[wasProgressLogged ? 'info' : 'debug'](
        { durationMs, result: run.result, skipped: run.skippedItems },
        'run finished',
      );
    outages.runEnded(job.trouble(), clock.now());
    if (run.isSuccess) this.#logSuccess();
  }

  #logFailure(error: unknown, durationMs: number): void {
    const { job, log, clock, outages, isLogged } = this.#options;
    const [failure, now] = [describeFailure(error), clock.monotonic()];
    const isNew = this.#runs.failed(failure, now);
    const isExplained = outages.explains(failure, job.trouble(), now, isNew);
    const isNews = isNew && !isExplained && !isLogged?.(error);
    if (isNews) this.#runs.logged(failure, now);
    log[isNews ? 'error' : 'debug']({ durationMs, ...failure }, 'run failed');
  }

  #logSuccess(): void {
    const { failures: failedRuns } = this.#runs;
    // The first success since the start has its own line.
    if (this.#runs.succeeded() && this.#hasSucceeded)
      this.#options.log.info({ failedRuns }, 'the runs of this collector succeed again');
    this.#hasSucceeded = true;
  }

  #logParts(result: CollectResult): void {
    const { log, clock, isLogged: isLoggedElsewhere } = this.#options;
    const { failedParts } = summarizeRun(result).outcome;
    const now = clock.monotonic();
    for (const { part, error, isLogged = false } of failedParts) {
      if (isLogged) continue;
      const news = this.#parts.get(part) ?? new FailureNews();
      this.#parts.set(part, news);
      const failure = describeFailure(error);
      const isNews = news.failed(failure, now) && !isLoggedElsewhere?.(error);
      if (isNews) news.logged(failure, now);
      log[isNews ? 'warn' : 'debug']({ part, ...failure }, 'a part failed');
    }
    if ('thrown' in result) return;
    const failing = new Set(failedParts.map(({ part }) => part));
    for (const [part, news] of this.#parts)
      if (!failing.has(part) && news.succeeded()) log.info({ part }, 'a part succeeds again');
  }
}
