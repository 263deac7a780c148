// Runs the collectors: one run at a time each, none able to harm another, every outcome in the store.

import { crc32 } from 'node:zlib';
import type { Outcome, Progress } from '../collectors/collector.ts';
import type { Clock } from '../lib/clock.ts';
import { cronOf } from '../lib/cron.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { ProviderError } from '../provider/errors.ts';
import type { FinishedRun, RunResult } from '../store/run-store.ts';
import type { Store } from '../store/store.ts';
import { describeFailure } from './failure.ts';
import type { Job, JobStatus, RunnerResult } from './job.ts';
import { Ticker } from './ticker.ts';

/** Jobs are spread over this share of their interval, so that fifty accounts don't fire in one second. */
const SPREAD = 0.2;
const MAX_OFFSET = MINUTE;
/** A run may take a few intervals (a listing of 100,000 users under a minute schedule does), but not for ever. */
const MIN_DEADLINE = 10 * MINUTE;
const DEADLINE_INTERVALS = 3;

export interface RunnerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  /** Told of every run, and of every slot that found the previous run still going. */
  readonly onRun: (job: Job, result: RunnerResult, skippedItems: number) => void;
}

interface Entry {
  readonly job: Job;
  readonly ticker: Ticker;
  running: Promise<void> | undefined;
  runningSince: number | null;
  progress: Progress | null;
  readonly abort: AbortController;
}

export class Runner {
  readonly #options: RunnerOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Takes a job in; it runs at once unless its last run, also one of an earlier process, is fresh. */
  async add(job: Job): Promise<void> {
    const { clock, store } = this.#options;
    const states = await store.runs.states(job.account);
    const now = clock.now();
    const intervalMs = intervalOf(job, now);
    const crons = job.schedules.map((schedule) => cronOf(schedule, job.zone));
    const entry = {
      job,
      ticker: new Ticker(crons, offsetOf(job, intervalMs), now),
      running: undefined,
      runningSince: null,
      progress: null,
      abort: new AbortController(),
    };
    this.#entries.set(keyOf(job), entry);
    const last = states.find(({ collector }) => collector === job.collector);
    const isFresh = last && last.startedAt <= now && now - last.startedAt < intervalMs;
    if (!isFresh) this.#start(entry);
  }

  /** Ends a job's run, if one is going, and forgets the job. */
  async remove(account: string, collector: string): Promise<void> {
    const entry = this.#entries.get(`${account}/${collector}`);
    if (!entry) return;
    this.#entries.delete(`${account}/${collector}`);
    entry.abort.abort(new Error('the collector was taken out of the configuration'));
    await entry.running;
  }

  /** Starts what is due. */
  tick(): void {
    const now = this.#options.clock.now();
    for (const entry of this.#entries.values()) {
      if (!entry.ticker.isDue(now)) continue;
      if (entry.running) this.#options.onRun(entry.job, 'skipped', 0);
      else this.#start(entry);
    }
  }

  /** Resolves when no run is going. */
  async idle(): Promise<void> {
    for (let running = this.#running(); running.length > 0; running = this.#running())
      await Promise.all(running);
  }

  /** Ends every run: those that are done within `graceMs` (ms) by themselves, the others by aborting them. */
  async stop(graceMs: number): Promise<void> {
    const grace = new AbortController();
    const overdue = this.#options.clock.sleep(graceMs, grace.signal).catch(() => {});
    await Promise.race([this.idle(), overdue]);
    grace.abort();
    for (const { abort } of this.#entries.values()) abort.abort(new Error('proxywatch is stopping'));
    await this.idle();
  }

  status(): JobStatus[] {
    const now = this.#options.clock.now();
    return [...this.#entries.values()].map(({ job, runningSince, progress, ticker }) => ({
      account: job.account,
      collector: job.collector,
      runningSince,
      progress,
      nextAt: ticker.next,
      intervalMs: intervalOf(job, now),
    }));
  }

  #running(): Promise<void>[] {
    return [...this.#entries.values()].flatMap(({ running }) => running ?? []);
  }

  #start(entry: Entry): void {
    entry.runningSince = this.#options.clock.now();
    const running = this.#run(entry).catch((error) => {
      // A fault of the runner itself; the next slot tries again.
      this.#options.log.error(
        { collector: entry.job.collector, ...describeFailure(error) },
        'the run broke off',
      );
    });
    entry.running = running.finally(() => {
      entry.running = undefined;
      entry.runningSince = null;
      entry.progress = null;
    });
  }

  async #run(entry: Entry): Promise<void> {
    const { job } = entry;
    const { clock, log, onRun } = this.#options;
    const jobLog = log.child({ account: job.account, collector: job.collector });
    const startedAt = clock.now();
    const result = await this.#collect(entry);
    if (entry.abort.signal.aborted) return;
    const { outcome, ...ending } = describeResult(result);
    const run = {
      account: job.account,
      collector: job.collector,
      startedAt,
      finishedAt: clock.now(),
      intervalMs: intervalOf(job, startedAt),
      ...ending,
    };
    logRun(jobLog, run, outcome, result);
    await this.#attempt(jobLog, 'the run could not be recorded', () => this.#options.store.runs.record(run));
    await this.#attempt(jobLog, 'the run could not be shown', () => job.render());
    onRun(job, run.result, outcome.skipped);
  }

  async #attempt(log: Log, failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error({ ...describeFailure(error) }, failure);
    }
  }

  /** The outcome of the collector, or what it threw. */
  async #collect(entry: Entry): Promise<Outcome | { readonly thrown: unknown }> {
    const { clock } = this.#options;
    const done = new AbortController();
    const late = new AbortController();
    const limitMs = Math.max(MIN_DEADLINE, DEADLINE_INTERVALS * intervalOf(entry.job, clock.now()));
    clock.sleep(limitMs, done.signal).then(
      () => late.abort(tooLong(entry.job, limitMs)),
      () => {},
    );
    try {
      const signal = AbortSignal.any([entry.abort.signal, late.signal]);
      return await entry.job.collect(signal, (progress) => {
        entry.progress = progress;
      });
    } catch (thrown) {
      return { thrown };
    } finally {
      done.abort();
    }
  }
}

const tooLong = ({ collector }: Job, limitMs: number): ProviderError =>
  new ProviderError('timeout', collector, `the run took longer than ${limitMs / SECOND} s`);

const keyOf = ({ account, collector }: Job): string => `${account}/${collector}`;

const intervalOf = ({ schedules: [schedule = ''], zone }: Job, now: number): number =>
  cronOf(schedule, zone).gap(now);

const offsetOf = (job: Job, intervalMs: number): number => {
  const room = Math.floor(Math.min(MAX_OFFSET, SPREAD * intervalMs) / SECOND);
  return room < 1 ? 0 : (crc32(keyOf(job)) % room) * SECOND;
};

interface Ending extends Pick<FinishedRun, 'errorKind' | 'errorMessage'> {
  readonly result: RunResult;
  readonly outcome: Outcome;
}

const describeResult = (result: Outcome | { readonly thrown: unknown }): Ending => {
  if ('thrown' in result) {
    const { kind, message } = describeFailure(result.thrown);
    return {
      result: 'failed',
      errorKind: kind,
      errorMessage: message,
      outcome: { skipped: 0, failedParts: [] },
    };
  }
  const [first] = result.failedParts;
  if (!first) return { result: 'ok', errorKind: null, errorMessage: null, outcome: result };
  const { kind, message } = describeFailure(first.error);
  const errorMessage = `${first.part}: ${message}`;
  return { result: 'partial', errorKind: kind, errorMessage, outcome: result };
};

const logRun = (
  log: Log,
  run: FinishedRun,
  outcome: Outcome,
  result: Outcome | { readonly thrown: unknown },
): void => {
  const durationMs = run.finishedAt - run.startedAt;
  for (const { part, error, isLogged = false } of outcome.failedParts)
    if (!isLogged) log.warn({ part, ...describeFailure(error) }, 'a part failed');
  if ('thrown' in result) log.error({ durationMs, ...describeFailure(result.thrown) }, 'run failed');
  else log.debug({ durationMs, result: run.result, skipped: outcome.skipped }, 'run finished');
};
