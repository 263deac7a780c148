// Logs how the runs of one job end: a failure when it begins, and the success that ends it.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { FinishedRun } from '../store/account-store.ts';
import { describeFailure, FailureNews } from './failure.ts';
import type { Job } from './job.ts';
import type { OutageLog } from './outage-log.ts';
import { type CollectResult, summarizeRun } from './run.ts';

export interface RunLogOptions {
  readonly job: Pick<Job, 'trouble'>;
  readonly log: Log;
  readonly clock: Clock;
  /** The log of the outages of the job's account. */
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
