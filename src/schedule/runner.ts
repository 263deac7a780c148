// Runs the collectors: one run at a time each, none able to harm another, every outcome in the store.

import { crc32 } from 'node:zlib';
import type { Clock } from '../lib/clock.ts';
import { cronOf } from '../lib/cron.ts';
import type { Log } from '../lib/log.ts';
import { allEnded } from '../lib/parallel.ts';
import type { Progress } from '../lib/progress.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { FinishedRun, RunState } from '../store/run-store.ts';
import type { Store } from '../store/store.ts';
import { withDeadline } from './deadline.ts';
import { describeResult, logRun, type Result } from './ending.ts';
import { describeFailure } from './failure.ts';
import { type GoingRun, isShownAfter, type Job, type JobStatus, type RunnerResult, waitsFor } from './job.ts';
import { Run } from './run.ts';
import { Starts } from './starts.ts';
import { Ticker } from './ticker.ts';

/** Jobs are spread over this share of their interval, so that fifty accounts don't fire in one second. */
const SPREAD = 0.2;
const MAX_OFFSET = MINUTE;

export interface RunnerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  /** Told of every run, and of every slot that found the previous run still going. */
  readonly onRun: (job: Job, result: RunnerResult, skippedItems: number) => void;
  /** Part of the run: called when what it stored is shown. */
  readonly afterRun?: (job: Job, result: RunnerResult) => Promise<void>;
}

interface Entry {
  readonly job: Job;
  readonly ticker: Ticker;
  readonly abort: AbortController;
  readonly log: Log;
  run: Run | undefined;
  /** Resolves at the end of the run. */
  running: Promise<void> | undefined;
  /** Whether the provider rejected the account's keys in the last run. */
  isRejected: boolean;
  /** Whether the last run failed because nobody answered. */
  isUnanswered: boolean;
}

export class Runner {
  readonly #options: RunnerOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #starts: Starts;
  #isStopping = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#starts = new Starts(options.clock, () => this.#entries.size);
  }

  /** Takes a job in; it runs `atOnce`, or unless its last run, also one of an earlier process, is fresh. */
  async add(job: Job, atOnce = false): Promise<void> {
    const log = this.#options.log.child({ account: job.account, collector: job.collector });
    const last = await this.#lastRun(job, log);
    const now = this.#options.clock.now();
    const isFresh = last && last.startedAt <= now && now - last.startedAt < intervalOf(job, now);
    if (this.#entries.has(keyOf(job))) throw new Error(`${keyOf(job)} is there already`);
    const crons = job.schedules.map((schedule) => cronOf(schedule, job.zone));
    const entry: Entry = {
      job,
      ticker: new Ticker(crons, offsetOf(job, intervalOf(job, now)), now),
      abort: new AbortController(),
      log,
      run: undefined,
      running: undefined,
      isRejected: isRejection(last?.errorKind) && !last?.isSuccess,
      isUnanswered: isOutage(last?.errorKind) && !last?.isSuccess,
    };
    this.#entries.set(keyOf(job), entry);
    if (atOnce || !isFresh) this.#start(entry);
  }

  /** Ends a job's run, if one is going, and forgets the job; resolves when nothing of it goes on. */
  async remove(account: string, collector: string): Promise<void> {
    const key = `${account}/${collector}`;
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#starts.forget(key);
    entry.abort.abort(new Error('the configuration has another collector in its place, or none'));
    await entry.running;
    this.#entries.delete(key);
  }

  /** Tells the log how far runs are that take long, each ever more rarely. */
  tell(): void {
    for (const { run, log } of this.#entries.values()) run?.tell(log);
  }

  /** Starts what is due. */
  tick(): void {
    const now = this.#options.clock.now();
    for (const entry of this.#entries.values()) {
      if (!entry.ticker.isDue(now) || entry.abort.signal.aborted) continue;
      if (entry.run) this.#options.onRun(entry.job, 'skipped', 0);
      else this.#start(entry);
    }
  }

  /** Resolves when no run is going, nor waits for its turn to begin. */
  async idle(): Promise<void> {
    const goingOn = (): Promise<void>[] => [...this.#running(), this.#starts.idle ?? []].flat();
    for (let all = goingOn(); all.length > 0; all = goingOn()) await Promise.all(all);
  }

  /** Ends every run for good: those that are done within `graceMs` (ms) by themselves, the others by aborting them. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#starts.stop();
    const grace = new AbortController();
    const overdue = this.#options.clock.sleep(graceMs, grace.signal).catch(() => {});
    await Promise.race([this.idle(), overdue]);
    grace.abort();
    for (const { abort } of this.#entries.values()) abort.abort(new Error('proxywatch is stopping'));
    await this.idle();
  }

  status(): JobStatus[] {
    const now = this.#options.clock.now();
    return [...this.#entries.values()].map(({ job, run, ticker }) => ({
      account: job.account,
      collector: job.collector,
      runningSince: run?.since ?? null,
      progress: run?.progress ?? null,
      nextAt: ticker.next,
      intervalMs: intervalOf(job, now),
    }));
  }

  /** The runs that are going. */
  going(): GoingRun[] {
    return [...this.#entries.values()].flatMap(({ job: { account, collector }, run }) =>
      run ? { account, collector, runningSince: run.since, progress: run.progress } : [],
    );
  }

  async #lastRun(job: Job, log: Log): Promise<RunState | undefined> {
    let last: RunState | undefined;
    await this.#attempt(log, 'the last run could not be looked up', async () => {
      const states = await this.#options.store.runs.states(job.account);
      last = states.find(({ collector }) => collector === job.collector);
    });
    return last;
  }

  #running(isMeant = (_: Job): boolean => true): Promise<void>[] {
    return [...this.#entries.values()].flatMap(({ job, running }) =>
      running && isMeant(job) ? running : [],
    );
  }

  #start(entry: Entry): void {
    if (!this.#isStopping) this.#starts.ask(keyOf(entry.job), () => this.#begin(entry));
  }

  #begin(entry: Entry): void {
    const run = new Run(this.#options.clock);
    entry.run = run;
    const before = this.#running((job) => waitsFor(entry.job, job));
    const begin = () => this.#run(entry, run);
    const ending = before.length === 0 ? begin() : allEnded(before, entry.abort.signal).then(begin);
    const running = ending.catch((error) => {
      // A fault of the runner itself; the next slot tries again.
      entry.log.error({ ...describeFailure(error) }, 'the run broke off');
    });
    entry.running = running.finally(() => {
      entry.run = undefined;
      entry.running = undefined;
    });
  }

  async #run(entry: Entry, run: Run): Promise<void> {
    const { job, log, abort } = entry;
    const { clock, onRun, afterRun, store } = this.#options;
    const wasUnreached = job.isUnreached();
    const result = await this.#collect(entry, run);
    if (abort.signal.aborted) return;
    const { outcome, ...ending } = describeResult(result);
    const finished = {
      account: job.account,
      collector: job.collector,
      startedAt: run.since,
      finishedAt: clock.now(),
      skippedItems: outcome.skipped,
      failingParts: outcome.failedParts.length,
      intervalMs: intervalOf(job, run.since),
      pass: outcome.pass,
      ...ending,
    };
    logRun(log, finished, result, run.isNews);
    await this.#attempt(log, 'the run could not be recorded', () => store.runs.record(finished));
    for (const shown of [job, ...this.#shownAfter(job)])
      await this.#attempt(log, 'the run could not be shown', () => shown.render());
    if (afterRun)
      await this.#attempt(log, 'alerts could not be evaluated', () => afterRun(job, finished.result));
    onRun(job, finished.result, outcome.skipped);
    this.#retryOthers(entry, finished, wasUnreached);
  }

  /**
   * Has all that the account's keys were rejected for, or that nobody answered, run again once one of them goes well: the
   * keys are good again, or the provider is back, and a collector of every night would stand as failing until then.
   */
  #retryOthers(entry: Entry, { isSuccess, errorKind }: FinishedRun, wasUnreached: boolean): void {
    const wasRejected = entry.isRejected;
    // A part that is refused alone says nothing of the keys.
    entry.isRejected = isRejection(errorKind) && !isSuccess;
    entry.isUnanswered = isOutage(errorKind) && !isSuccess;
    // A run that had nothing to ask says nothing of the provider.
    const isBack = wasUnreached && !entry.job.isUnreached();
    if (!isSuccess || !(wasRejected || isBack)) return;
    for (const other of this.#entries.values()) {
      const hasFailed = (wasRejected && other.isRejected) || (isBack && other.isUnanswered);
      const isStanding = hasFailed && !other.run && !other.abort.signal.aborted;
      if (isStanding && other.job.account === entry.job.account) this.#start(other);
    }
  }

  #shownAfter(job: Job): Job[] {
    return [...this.#entries.values()].map((entry) => entry.job).filter((other) => isShownAfter(other, job));
  }

  async #attempt(log: Log, failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error({ ...describeFailure(error) }, failure);
    }
  }

  async #collect({ job, abort }: Entry, run: Run): Promise<Result> {
    const { clock } = this.#options;
    try {
      return await withDeadline(job, intervalOf(job, clock.now()), clock, abort.signal, (signal, endsAt) => {
        const note = (progress: Progress): void => {
          run.progress = progress;
        };
        return job.collect(signal, note, endsAt);
      });
    } catch (thrown) {
      return { thrown };
    }
  }
}

const isRejection = (errorKind: string | null | undefined): boolean =>
  errorKind === 'auth' || errorKind === 'forbidden';

/** What ends with an outage of the provider. */
const isOutage = (errorKind: string | null | undefined): boolean =>
  errorKind === 'server' || errorKind === 'network' || errorKind === 'timeout';

const keyOf = ({ account, collector }: Job): string => `${account}/${collector}`;

const intervalOf = ({ schedules: [schedule = ''], zone }: Job, now: number): number =>
  cronOf(schedule, zone).gap(now);

const offsetOf = (job: Job, intervalMs: number): number => {
  const room = Math.floor(Math.min(MAX_OFFSET, SPREAD * intervalMs) / SECOND);
  return room < 1 ? 0 : (crc32(keyOf(job)) % room) * SECOND;
};
