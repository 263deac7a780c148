// Runs the collectors by their schedules: one run per job at a time, isolated from each other, each recorded in the store.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { allSettledOrAborted } from '../lib/parallel.ts';
import type { FinishedRun, RunState } from '../store/account-store.ts';
import type { Store } from '../store/store.ts';
import { beginBetween, runningIn, type WorkBetween } from './between.ts';
import { collect, createEntry, Entries, type Entry, failureIn, intervalOf, keyOf } from './entry.ts';
import { describeFailure } from './failure.ts';
import type { Job, JobStatus, RunInProgress, RunnerResult } from './job.ts';
import { OutageLog } from './outage-log.ts';
import { Run, RunLog, summarizeRun } from './run.ts';
import { Starts } from './ticker.ts';

export interface RunnerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  /** The number of accounts, over which the jobs are spread. */
  readonly countAccounts: () => number;
  /** Whether an error is logged elsewhere, once for all runs. The runner then logs it at level `debug`. */
  readonly isLogged?: (error: unknown) => boolean;
  /** Called after every run, and for every slot that is skipped because the previous run is still in progress. */
  readonly onRun: (job: Job, result: RunnerResult, skippedItems: number) => void;
  /** Called at the end of a run, when the data that it stored is rendered. The run ends only after it. */
  readonly afterRun?: (job: Job, result: RunnerResult) => Promise<void>;
}

export class Runner {
  readonly #options: RunnerOptions;
  readonly #entries = new Entries();
  readonly #starts: Starts;
  /** By account. */
  readonly #outages = new Map<string, OutageLog>();
  #isStopping = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#starts = new Starts(options.clock, () => this.#entries.size);
  }

  /** Adds a job. It runs at once if `atOnce`, or if its last run, including one of an earlier process, is too old. */
  async add(job: Job, atOnce = false): Promise<void> {
    const { clock, isLogged, countAccounts } = this.#options;
    const log = job.log ?? this.#options.log.child({ account: job.account, collector: job.collector });
    const last = await this.#lastRun(job, log);
    const now = clock.now();
    const isFresh = last && last.startedAt <= now && now - last.startedAt < intervalOf(job, now);
    const runLog = new RunLog({ job, log, clock, isLogged, outages: this.#outagesOf(job.account) });
    const entry = createEntry({ job, log, runLog }, last, countAccounts(), now);
    this.#entries.add(job.account, job.collector, entry);
    if (atOnce || !isFresh) this.#start(entry);
  }

  /** Removes a job and aborts its run if there is one. Resolves when the run has ended. */
  async remove(account: string, collector: string): Promise<void> {
    const entry = this.#entries.get(account, collector);
    if (!entry) return;
    this.#starts.forget(keyOf(entry.job));
    entry.abort.abort(new Error('a reload replaced or removed this collector'));
    await Promise.all(runningIn([entry]));
    this.#entries.delete(account, collector);
  }

  /**
   * Does work of a job between two of its runs: after the run in progress, and before the next one, whose slot stays. Work
   * has the deadline of a run. Rejects with what it throws. Returns whether there is such a job.
   */
  async betweenRuns(account: string, collector: string, work: WorkBetween): Promise<boolean> {
    const entry = this.#entries.get(account, collector);
    if (!entry || this.#isStopping) return false;
    const { clock } = this.#options;
    const render = () =>
      this.#attempt(entry.log, 'the metrics of the tests could not be rendered', () => entry.job.render());
    await beginBetween(entry, { clock, work, render });
    return true;
  }

  logProgress(): void {
    for (const { run, log } of this.#entries) run?.logProgress(log);
  }

  tick(): void {
    const now = this.#options.clock.now();
    for (const entry of this.#entries) {
      if (!entry.ticker.isDue(now) || entry.abort.signal.aborted) continue;
      if (entry.run) this.#options.onRun(entry.job, 'skipped', 0);
      else this.#start(entry);
    }
  }

  /** Resolves when no run is in progress or waits for its start. */
  async idle(): Promise<void> {
    const pending = (): Promise<void>[] => [...runningIn(this.#entries), this.#starts.idle ?? []].flat();
    for (let promises = pending(); promises.length > 0; promises = pending()) await Promise.all(promises);
  }

  /** Stops the runner for good. Runs have `graceMs` (ms) to end; then they are aborted. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#starts.stop();
    const grace = new AbortController();
    const overdue = this.#options.clock.sleep(graceMs, grace.signal).catch(() => {});
    await Promise.race([this.idle(), overdue]);
    grace.abort();
    for (const { abort } of this.#entries) abort.abort(new Error('proxywatch is stopping'));
    await this.idle();
  }

  status(account?: string): JobStatus[] {
    const now = this.#options.clock.now();
    const entries = account === undefined ? [...this.#entries] : this.#entries.of(account);
    return entries.map(({ job, run, ticker }) => ({
      account: job.account,
      collector: job.collector,
      runningSince: run?.startedAt ?? null,
      progress: run?.progress ?? null,
      waitsUntil: job.waitsUntil ?? null,
      nextAt: ticker.next,
      intervalMs: intervalOf(job, now),
    }));
  }

  runsInProgress(account?: string): RunInProgress[] {
    const entries = account === undefined ? [...this.#entries] : this.#entries.of(account);
    return entries.flatMap(({ job: { account, collector }, run }) =>
      run ? { account, collector, runningSince: run.startedAt, progress: run.progress } : [],
    );
  }

  #outagesOf(account: string): OutageLog {
    const known = this.#outages.get(account) ?? new OutageLog(this.#options.log.child({ account }));
    this.#outages.set(account, known);
    return known;
  }

  async #lastRun(job: Job, log: Log): Promise<RunState | undefined> {
    let last: RunState | undefined;
    await this.#attempt(log, 'the last run could not be read from the store', async () => {
      const states = await this.#options.store.runs.states(job.account);
      last = states.find(({ collector }) => collector === job.collector);
    });
    return last;
  }

  #start(entry: Entry): void {
    if (!this.#isStopping) this.#starts.ask(keyOf(entry.job), () => this.#begin(entry));
  }

  #begin(entry: Entry): void {
    const run = new Run(this.#options.clock, entry.job.quietMs);
    entry.run = run;
    const others = this.#entries.of(entry.job.account);
    const before = [
      ...runningIn(others.filter(({ job }) => entry.job.after?.includes(job.collector))),
      ...(entry.between ? [entry.between] : []),
    ];
    const begin = () => this.#run(entry, run);
    const ending =
      before.length === 0 ? begin() : allSettledOrAborted(before, entry.abort.signal).then(begin);
    const running = ending.catch((error) => {
      // This is a bug of the runner itself. The next slot tries again.
      entry.log.error(
        { ...describeFailure(error) },
        'the run ended with an unexpected error; please report it as a bug',
      );
    });
    entry.running = running.finally(() => {
      entry.run = undefined;
      entry.running = undefined;
    });
  }

  async #run(entry: Entry, run: Run): Promise<void> {
    const { job, log, runLog, abort } = entry;
    const { clock, onRun, afterRun, store } = this.#options;
    const wasUnreached = job.isProviderUnreached();
    const result = await collect(entry, run, clock);
    if (abort.signal.aborted) return;
    const { outcome, ...summary } = summarizeRun(result);
    const finished = {
      account: job.account,
      collector: job.collector,
      startedAt: run.startedAt,
      finishedAt: clock.now(),
      skippedItems: outcome.skipped,
      failingParts: outcome.failedParts.length,
      intervalMs: intervalOf(job, run.startedAt),
      pass: outcome.pass,
      ...summary,
    };
    runLog.runEnded(finished, result, run.wasProgressLogged);
    await this.#attempt(log, 'the result of the run could not be stored', () => store.runs.record(finished));
    for (const shown of [job, ...this.#renderedAfter(job)])
      await this.#attempt(log, 'the metrics of the run could not be rendered', () => shown.render());
    if (afterRun)
      await this.#attempt(log, 'alerts could not be evaluated', () => afterRun(job, finished.result));
    onRun(job, finished.result, outcome.skipped);
    this.#retryOthers(entry, finished, wasUnreached);
  }

  /**
   * Runs the account's other jobs again that failed because of rejected keys or an outage, once one of them succeeds.
   * This success shows that the keys work or that the provider is back. Without it, a collector with a nightly schedule
   * would count as failing until the next night.
   */
  #retryOthers(entry: Entry, finished: FinishedRun, wasUnreached: boolean): void {
    const wasRejected = entry.hasRejectedKeys;
    Object.assign(entry, failureIn(finished));
    // A run without requests does not show whether the provider answers.
    const isBack = wasUnreached && !entry.job.isProviderUnreached();
    if (!finished.isSuccess || !(wasRejected || isBack)) return;
    for (const other of this.#entries.of(entry.job.account)) {
      const hasFailed = (wasRejected && other.hasRejectedKeys) || (isBack && other.isUnanswered);
      const isRetried = hasFailed && !other.run && !other.abort.signal.aborted;
      if (isRetried) this.#start(other);
    }
  }

  #renderedAfter(job: Job): Job[] {
    const jobs = this.#entries.of(job.account).map((entry) => entry.job);
    return jobs.filter(({ renderAfter }) => renderAfter?.includes(job.collector));
  }

  async #attempt(log: Log, failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log[this.#options.isLogged?.(error) ? 'debug' : 'error']({ ...describeFailure(error) }, failure);
    }
  }
}
