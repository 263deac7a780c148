// Runs the store's maintenance every hour, concurrently with the polls, and stores the use of each proxy user once an hour.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { probesAccount } from '../collectors/context.ts';
import { probedNames } from '../collectors/probes/vantage.ts';
import { configuredNames } from '../collectors/proxy-tests/targets.ts';
import { graphsOf } from '../collectors/traffic/options.ts';
import type { MaintenanceStatus } from '../http/status-view.ts';
import type { Progress } from '../lib/progress.ts';
import { HOUR, MINUTE } from '../lib/time.ts';
import type { Job } from '../schedule/job.ts';
import { Run } from '../schedule/run.ts';
import type { RetainedAccount, Store } from '../store/store.ts';
import { type FailureLog, logFailure, type Services } from './services.ts';
import type { Account, Settings } from './settings.ts';

/** The first maintenance waits until the first polls are over. */
const FIRST_DELAY_MS = 10 * MINUTE;
const INTERVAL_MS = HOUR;
/** Test subjects a transaction, which takes a few milliseconds: each subject has some twenty rows. */
const PRUNE_BATCH_SIZE = 20;

interface MaintenanceOptions extends FailureLog, Pick<Services, 'store' | 'clock' | 'metrics'> {
  readonly settings: () => Settings;
}

/** Runs until it is disposed of, which ends a current run between two slices. */
export class Maintenance implements AsyncDisposable {
  readonly #options: MaintenanceOptions;
  readonly #stop = new AbortController();
  readonly #looping: Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #run: Run | undefined;
  #nextAt = 0;

  constructor(options: MaintenanceOptions) {
    this.#options = { ...options, log: options.log.child({ task: 'maintenance' }) };
    this.#looping = this.#loop();
  }

  idle(): Promise<void> {
    return this.#running;
  }

  logProgress(): void {
    this.#run?.logProgress(this.#options.log);
  }

  /** During a run, `nextAt` is the time at which that run was due (ms). */
  status(): MaintenanceStatus {
    const { startedAt = null, progress = null } = this.#run ?? {};
    return { nextAt: this.#nextAt, runningSince: startedAt, progress };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looping;
  }

  async #loop(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    for (let waitMs = FIRST_DELAY_MS; !signal.aborted; waitMs = INTERVAL_MS) {
      this.#nextAt = clock.now() + waitMs;
      // An abort rejects the wait; the check below then ends the loop.
      await clock.sleep(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      this.#run = new Run(clock);
      this.#running = this.#maintain(this.#run);
      await this.#running;
      this.#run = undefined;
    }
  }

  async #maintain(run: Run): Promise<void> {
    const { clock, metrics, log } = this.#options;
    const startedAt = clock.monotonic();
    try {
      const deletedRows = await this.#maintainStore(run);
      if (this.#stop.signal.aborted) return;
      const durationMs = clock.monotonic() - startedAt;
      metrics.store.maintained(durationMs, deletedRows, clock.now());
      if (run.wasProgressLogged)
        log.info({ durationMs: Math.round(durationMs), deletedRows }, 'run finished');
    } catch (error) {
      // Polls continue without maintenance.
      metrics.store.maintenanceFailed(clock.monotonic() - startedAt);
      const message = 'the maintenance of the store failed, so proxywatch tries again in an hour';
      logFailure(this.#options, error, message);
    }
  }

  /** Returns the number of deleted rows. */
  async #maintainStore(run: Run): Promise<number> {
    const { store, settings, clock } = this.#options;
    const { signal } = this.#stop;
    const currentSettings = settings();
    const progress = (progress: Progress): void => {
      run.progress = progress;
    };
    const plan = { ...planOf(currentSettings), now: clock.now(), signal, progress };
    const { deletedRows } = await store.maintain(plan);
    const before = clock.now() - currentSettings.store.retention.daily;
    for (const account of currentSettings.accounts) await this.#pruneTests(account, before, run);
    return deletedRows;
  }

  /** Removes proxies, urls and testers that are not configured and were not tested since `before` (ms). */
  async #pruneTests({ name, proxy_tests, probes }: Account, before: number, run: Run): Promise<void> {
    await this.#prune(name, proxy_tests ? configuredNames(proxy_tests) : new Set(), before, run);
    if (probes) await this.#prune(probesAccount(name), probedNames(probes, { proxy_tests }), before, run);
  }

  async #prune(name: string, kept: ReadonlySet<string>, before: number, run: Run): Promise<void> {
    const { tests } = this.#options.store;
    let done = 0;
    for (let pruned = 1; pruned > 0 && !this.#stop.signal.aborted; done += pruned) {
      pruned = await tests.prune(name, { before, kept }, PRUNE_BATCH_SIZE);
      run.progress = { done: done + pruned, total: undefined, unit: 'subjects' };
      await nextTurn();
    }
  }
}

const planOf = ({ store: { retention }, accounts }: Settings) => ({
  retention: { rawMs: retention.raw, hourlyMs: retention.hourly, dailyMs: retention.daily },
  accounts: accounts.flatMap((account) => [toMaintainedAccount(account), ...maintainedProbes(account)]),
});

/** Probes have an account of their own in the store. */
const maintainedProbes = ({ name, time_zone, probes }: Account): RetainedAccount[] =>
  probes ? [{ name: probesAccount(name), zone: time_zone, graphs: [], areUsersPolled: false }] : [];

const toMaintainedAccount = ({ name, time_zone, traffic, proxy_users }: Account): RetainedAccount => ({
  name,
  zone: time_zone,
  graphs: traffic ? graphsOf(traffic).map((graph) => graph.name) : [],
  areUsersPolled: proxy_users !== false,
});

interface UserUseOptions extends FailureLog {
  readonly store: Pick<Store, 'userUse'>;
  /** Returns the time zone of an account; undefined if it is no longer configured. */
  readonly zoneOf: (account: string) => string | undefined;
}

/**
 * Stops between two slices when the signal aborts. The next process continues. A failed pass is repeated after the next run,
 * which also stores the use of the hour that it missed.
 */
export const storeUserUse = async (
  options: UserUseOptions,
  { account, collector }: Pick<Job, 'account' | 'collector'>,
  signal: AbortSignal,
): Promise<void> => {
  const zone = options.zoneOf(account);
  if (collector !== 'proxy_users' || zone === undefined) return;
  try {
    await options.store.userUse.store(account, zone, signal);
  } catch (error) {
    const message =
      'the use of the proxy users could not be stored, so proxywatch tries again after the next run';
    logFailure(options, error, message, { account });
  }
};
