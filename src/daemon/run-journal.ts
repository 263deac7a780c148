// Logs that runs succeed: the first success of each collector, and once a day a summary of each account.

import { readFreshness } from '../collectors/freshness.ts';
import { BackgroundTask } from '../lib/background-task.ts';
import { cronOf } from '../lib/cron.ts';
import { secondText } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Job, RunnerResult } from '../schedule/job.ts';
import type { RunningAccount } from './account.ts';
import type { Services } from './services.ts';

/** Summaries are logged at midnight, so that each covers one day. */
const SUMMARY_SCHEDULE = '0 0 * * *';

export interface RunJournalOptions extends Pick<Services, 'store' | 'clock' | 'log'> {
  readonly accounts: () => readonly RunningAccount[];
  /** Returns the time zone in which a day begins at midnight. */
  readonly zone: () => string;
}

type Counts = ReturnType<typeof noCounts>;

/** Logs nothing before `start` is called, which a command that runs collectors only once does not do. */
export class RunJournal {
  readonly #options: RunJournalOptions;
  readonly #summarizing = new BackgroundTask(() => this.#logSummaries());
  /** By account, since the last summary. */
  #counts = new Map<string, Counts>();
  /** Accounts of which a request has succeeded. Before that a run without requests may succeed, which shows nothing. */
  readonly #answered = new Set<string>();
  /** Keys of the collectors that have succeeded. */
  readonly #succeeded = new Set<string>();
  #isOn = false;
  #since = 0;
  #nextAt = 0;

  constructor(options: RunJournalOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isOn = true;
    this.#beginDay();
  }

  requestEnded(account: string, code: string): void {
    const counts = this.#countsOf(account);
    counts.requests += 1;
    if (code.startsWith('2')) this.#answered.add(account);
    else counts.failedRequests += 1;
  }

  runEnded(
    { account, collector }: Pick<Job, 'account' | 'collector'>,
    result: RunnerResult,
    skippedItems: number,
  ): void {
    const counts = this.#countsOf(account);
    counts.skippedItems += skippedItems;
    if (result === 'skipped') {
      counts.skippedRuns += 1;
      return;
    }
    counts.runs += 1;
    if (result === 'failed') counts.failedRuns += 1;
    if (result === 'partial') counts.partialRuns += 1;
    this.#logSuccess(account, collector, result);
  }

  /** To be called every second or so. */
  tick(): void {
    if (this.#isOn && this.#options.clock.now() >= this.#nextAt) this.#summarizing.start();
  }

  /** Resolves when no summary is being written. */
  idle(): Promise<void> {
    return this.#summarizing.idle();
  }

  #logSuccess(account: string, collector: string, result: RunnerResult): void {
    const key = `${account}/${collector}`;
    if (result !== 'ok' || !this.#isOn || !this.#answered.has(account)) return;
    const { log } = this.#options;
    if (!this.#succeeded.has(key))
      log.info({ account, collector }, 'the first run of this collector succeeded');
    this.#succeeded.add(key);
  }

  async #logSummaries(): Promise<void> {
    const { accounts, clock, log } = this.#options;
    const [counts, from, to] = [this.#counts, this.#since, clock.now()];
    this.#beginDay();
    for (const account of accounts()) {
      const { name } = account;
      const summary = counts.get(name) ?? noCounts();
      const period = { from: secondText(from), to: secondText(to) };
      try {
        const data = await this.#dataOf(account, to);
        log.info({ account: name, ...period, ...summary, ...data }, summaryText(summary, data));
      } catch (error) {
        log.error(
          { account: name, ...describeFailure(error) },
          'proxywatch could not make the daily summary',
        );
      }
    }
  }

  /** Returns when the newest data was read, and the collectors without current data. */
  async #dataOf({ context, jobs }: RunningAccount, now: number): Promise<DataState> {
    const { store } = this.#options;
    const states = await store.runs.states(context.name);
    let newestAt = 0;
    const notCurrent: string[] = [];
    for (const { collector } of jobs) {
      const { state, asOf } = await readFreshness(context, collector, store, now, states);
      newestAt = Math.max(newestAt, asOf ?? 0);
      if (state !== 'current') notCurrent.push(collector);
    }
    return { newestData: newestAt === 0 ? null : secondText(newestAt), notCurrent };
  }

  #beginDay(): void {
    const { clock, zone } = this.#options;
    this.#since = clock.now();
    this.#nextAt = cronOf(SUMMARY_SCHEDULE, zone()).next(this.#since);
    this.#counts = new Map();
    this.#forgetRemoved();
  }

  /** Forgets accounts and collectors that a reload removed. If they come back, their first success is logged again. */
  #forgetRemoved(): void {
    const accounts = this.#options.accounts();
    const names = new Set(accounts.map(({ name }) => name));
    for (const name of this.#answered) if (!names.has(name)) this.#answered.delete(name);
    const keys = new Set(accounts.flatMap(({ name, jobs }) => jobs.map((job) => `${name}/${job.collector}`)));
    for (const key of this.#succeeded) if (!keys.has(key)) this.#succeeded.delete(key);
  }

  #countsOf(account: string): Counts {
    const counts = this.#counts.get(account) ?? noCounts();
    this.#counts.set(account, counts);
    return counts;
  }
}

interface DataState {
  readonly newestData: string | null;
  readonly notCurrent: readonly string[];
}

const noCounts = () => ({
  ...{ runs: 0, failedRuns: 0, partialRuns: 0, skippedRuns: 0 },
  ...{ requests: 0, failedRequests: 0, skippedItems: 0 },
});

const summaryText = (
  { runs, failedRuns, requests, failedRequests }: Counts,
  { newestData, notCurrent }: DataState,
) =>
  [
    `daily summary: ${runs} runs, ${failedRuns} failed`,
    `${requests} requests, ${failedRequests} failed`,
    newestData === null ? 'no data yet' : `newest data read at ${newestData}`,
    notCurrent.length === 0 ? 'all data is current' : `no current data: ${notCurrent.join(', ')}`,
  ].join('; ');
