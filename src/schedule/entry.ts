// Keeps what the runner knows of each job, and collects for one within a time limit.

import type { Clock } from '../lib/clock.ts';
import { cronOf } from '../lib/cron.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { ProviderError } from '../provider/errors.ts';
import type { RunState } from '../store/account-store.ts';
import { isOutageKind } from './failure.ts';
import type { Job } from './job.ts';
import type { CollectResult, Run, RunLog } from './run.ts';
import { delayOf, Ticker } from './ticker.ts';

export interface Entry {
  readonly job: Job;
  readonly ticker: Ticker;
  readonly abort: AbortController;
  readonly log: Log;
  readonly runLog: RunLog;
  run: Run | undefined;
  running: Promise<void> | undefined;
  /** Resolves at the end of work between two runs. */
  between: Promise<void> | undefined;
  /** Whether the last run failed because the provider rejected the account's keys. */
  hasRejectedKeys: boolean;
  /** Whether the last run failed because the provider did not answer. */
  isUnanswered: boolean;
}

/** Returns the entry of a job at `now` (ms). `last` is its last run. The jobs of `accounts` accounts are spread. */
export const createEntry = (
  { job, log, runLog }: Pick<Entry, 'job' | 'log' | 'runLog'>,
  last: RunState | undefined,
  accounts: number,
  now: number,
): Entry => {
  const crons = job.schedules.map((schedule) => cronOf(schedule, job.zone));
  return {
    ...{ job, log, runLog },
    ticker: new Ticker(crons, delayOf(keyOf(job), intervalOf(job, now), accounts), now),
    abort: new AbortController(),
    run: undefined,
    ...{ running: undefined, between: undefined },
    ...failureIn(last),
  };
};

/** A single rejected part does not show that the keys are rejected. */
export const failureIn = (
  last: Pick<RunState, 'errorKind' | 'isSuccess'> | undefined,
): Pick<Entry, 'hasRejectedKeys' | 'isUnanswered'> => {
  const kind = last?.isSuccess ? null : last?.errorKind;
  return { hasRejectedKeys: kind === 'auth' || kind === 'forbidden', isUnanswered: isOutageKind(kind) };
};

export const keyOf = ({ account, collector }: Job): string => `${account}/${collector}`;

export const intervalOf = ({ schedules: [schedule = ''], zone }: Job, now: number): number =>
  cronOf(schedule, zone).gap(now);

/** Collects, and returns the outcome or what was thrown. */
export const collect = async ({ job, abort }: Entry, run: Run, clock: Clock): Promise<CollectResult> => {
  try {
    return await withDeadline(job, clock, abort.signal, (signal, endsAt) =>
      job.collect(
        signal,
        (progress) => {
          run.progress = progress;
        },
        endsAt,
      ),
    );
  } catch (thrown) {
    return { thrown };
  }
};

/** The shortest limit. A run may take several intervals, as a listing of 100,000 users on a one-minute schedule does. */
const SHORTEST_MS = 10 * MINUTE;
const INTERVALS = 3;

/**
 * Calls `work` with two arguments: a signal that aborts with `signal`, and at the deadline with a ProviderError, which says
 * whether the provider's rate limit or the run is the cause; and the deadline on the monotonic clock (ms).
 */
export const withDeadline = async <T>(
  job: Job,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal, endsAt: number) => Promise<T>,
): Promise<T> => {
  const limitMs = Math.max(SHORTEST_MS, INTERVALS * intervalOf(job, clock.now()));
  const [done, overdue] = [new AbortController(), new AbortController()];
  clock.sleep(limitMs, done.signal).then(
    () => overdue.abort(deadlineError(job, limitMs)),
    () => {},
  );
  try {
    return await work(AbortSignal.any([signal, overdue.signal]), clock.monotonic() + limitMs);
  } finally {
    done.abort();
  }
};

const deadlineError = (job: Job, limitMs: number): ProviderError =>
  job.isThrottled()
    ? new ProviderError(
        'rate_limited',
        job.collector,
        `the run took longer than ${limitMs / SECOND} s, because the provider asked proxywatch to wait`,
      )
    : new ProviderError('timeout', job.collector, `the run took longer than ${limitMs / SECOND} s`);

/** Keeps one entry for each collector of each account. Finding those of an account costs the same with any number of accounts. */
export class Entries {
  readonly #accounts = new Map<string, Map<string, Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(account: string, collector: string): Entry | undefined {
    return this.#accounts.get(account)?.get(collector);
  }

  /** Throws if there is an entry already. */
  add(account: string, collector: string, entry: Entry): void {
    const entries = this.#accounts.get(account) ?? new Map<string, Entry>();
    if (entries.has(collector)) throw new Error(`${account}/${collector} was added twice`);
    this.#accounts.set(account, entries.set(collector, entry));
    this.#size += 1;
  }

  delete(account: string, collector: string): void {
    const entries = this.#accounts.get(account);
    if (!entries?.delete(collector)) return;
    this.#size -= 1;
    if (entries.size === 0) this.#accounts.delete(account);
  }

  /** Returns the entries of one account, in the order in which they were added. */
  of(account: string): Entry[] {
    return [...(this.#accounts.get(account)?.values() ?? [])];
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const entries of this.#accounts.values()) yield* entries.values();
  }
}
