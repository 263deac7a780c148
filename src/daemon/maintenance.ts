// Keeps the store small while the daemon runs: an hour's worth of work every hour, beside the polls.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { configuredNames } from '../collectors/proxy-tests/configured-names.ts';
import { graphsOf } from '../collectors/traffic/options.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import { HOUR, MINUTE } from '../lib/time.ts';
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import { describeFailure } from '../schedule/failure.ts';
import { Run } from '../schedule/run.ts';
import type { KeptAccount } from '../store/maintenance.ts';
import type { Store } from '../store/store.ts';
import type { Account, Settings } from './settings.ts';

/** The first time comes when the first polls are over. */
const FIRST_AFTER_MS = 10 * MINUTE;
const EVERY_MS = HOUR;
/** Subjects of tests, each with some twenty rows: a transaction of a few milliseconds. */
const PRUNED_AT_ONCE = 20;

export interface MaintenanceOptions {
  readonly store: Store;
  /** As they are at present. */
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: DaemonMetrics;
}

export interface MaintenanceStatus {
  /** When the next one is due (ms); that of the present one while it is going. */
  readonly nextAt: number;
  /** When the present one began (ms); null while none is going. */
  readonly runningSince: number | null;
  readonly progress: Progress | null;
}

/** Runs until it is disposed of, which ends one that is going between two slices. */
export class Maintenance implements AsyncDisposable {
  readonly #options: MaintenanceOptions;
  readonly #log: Log;
  readonly #stop = new AbortController();
  readonly #looping: Promise<void>;
  #going: Promise<void> = Promise.resolve();
  #run: Run | undefined;
  #nextAt = 0;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.#log = options.log.child({ task: 'maintenance' });
    this.#looping = this.#loop();
  }

  /** Resolves when none is going. */
  idle(): Promise<void> {
    return this.#going;
  }

  /** Tells the log how far one is that takes long, ever more rarely. */
  tell(): void {
    this.#run?.tell(this.#log);
  }

  status(): MaintenanceStatus {
    const { since = null, progress = null } = this.#run ?? {};
    return { nextAt: this.#nextAt, runningSince: since, progress };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looping;
  }

  async #loop(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    for (let waitMs = FIRST_AFTER_MS; !signal.aborted; waitMs = EVERY_MS) {
      this.#nextAt = clock.now() + waitMs;
      // An abort ends the wait, and with it the loop.
      await clock.sleep(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      this.#run = new Run(clock);
      this.#going = this.#maintain(this.#run);
      await this.#going;
      this.#run = undefined;
    }
  }

  async #maintain(run: Run): Promise<void> {
    const { clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    try {
      const deletedRows = await this.#work(run);
      if (this.#stop.signal.aborted) return;
      const durationMs = clock.monotonic() - startedAt;
      metrics.store.maintained(durationMs, deletedRows, clock.now());
      if (run.isNews) this.#log.info({ durationMs: Math.round(durationMs), deletedRows }, 'run finished');
    } catch (error) {
      // Nobody else hears of it, and the polls go on without.
      metrics.store.maintenanceFailed(clock.monotonic() - startedAt);
      this.#log.error(
        { ...describeFailure(error) },
        'the store could not be maintained; it is tried again in an hour',
      );
    }
  }

  /** Returns the rows deleted. */
  async #work(run: Run): Promise<number> {
    const { store, settings, clock } = this.#options;
    const { signal } = this.#stop;
    const present = settings();
    const progress = (progress: Progress): void => {
      run.progress = progress;
    };
    const plan = { ...planOf(present), now: clock.now(), signal, progress };
    const { deletedRows } = await store.maintain(plan);
    const before = clock.now() - present.store.retention.daily;
    for (const account of present.accounts) await this.#pruneTests(account, before, run);
    return deletedRows;
  }

  /** Proxies, urls and testers that were not tested since `before` (ms). */
  async #pruneTests({ name, proxy_tests }: Account, before: number, run: Run): Promise<void> {
    const { tests } = this.#options.store;
    const kept = proxy_tests ? configuredNames(proxy_tests) : new Set<string>();
    let done = 0;
    for (let pruned = 1; pruned > 0 && !this.#stop.signal.aborted; done += pruned) {
      pruned = await tests.prune(name, { before, kept }, PRUNED_AT_ONCE);
      run.progress = { done: done + pruned, total: undefined, unit: 'subjects' };
      await nextTurn();
    }
  }
}

const planOf = ({ store: { retention }, accounts }: Settings) => ({
  retention: { rawMs: retention.raw, hourlyMs: retention.hourly, dailyMs: retention.daily },
  accounts: accounts.map(toKept),
});

const toKept = ({ name, time_zone, traffic, proxy_users }: Account): KeptAccount => ({
  name,
  zone: time_zone,
  graphs: traffic ? graphsOf(traffic).map((graph) => graph.name) : [],
  hasUsers: proxy_users !== false,
});
