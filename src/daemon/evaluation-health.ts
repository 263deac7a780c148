// Knows whether the evaluation of alerts works, and which accounts were polled since the daemon was last down.

import type { Clock } from '../lib/clock.ts';
import { MINUTE } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { RunInProgress } from '../schedule/job.ts';
import type { Store } from '../store/store.ts';
import type { FailureLog, Services } from './services.ts';

interface HealthOptions extends FailureLog, Pick<Services, 'clock'> {
  readonly store: Pick<Store, 'checkWritable'>;
}

/** An evaluation that takes longer counts as stuck. */
const STUCK_AFTER_MS = 5 * MINUTE;

export class EvaluationHealth {
  readonly #options: HealthOptions;
  /** On the monotonic clock (ms). */
  #succeededAt: number;
  #isFailing = false;
  /** When alerts were last evaluated, by the wall clock (ms), to be shown; null before the first evaluation. */
  evaluatedAt: number | null = null;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#succeededAt = options.clock.monotonic();
  }

  succeeded(): void {
    this.#succeededAt = this.#options.clock.monotonic();
    this.evaluatedAt = this.#options.clock.now();
    this.#isFailing = false;
  }

  /** The log is the only place where this error is reported; the next tick tries again. */
  failed(error: unknown): void {
    const { log, isLogged } = this.#options;
    if (!isLogged?.(error) && !this.#isFailing)
      log.error({ ...describeFailure(error) }, 'proxywatch could not evaluate the alerts');
    this.#isFailing = true;
  }

  async isHealthy(): Promise<boolean> {
    const { clock, store } = this.#options;
    if (this.#isFailing || clock.monotonic() - this.#succeededAt > STUCK_AFTER_MS) return false;
    return store.checkWritable().then(
      () => true,
      () => false,
    );
  }
}

/** Ticks come every second. If more time passes between two, a clock has jumped or the process did not run. */
const LONGEST_TICK_MS = MINUTE;
/** A first run that takes longer may hang, so it is not waited for. */
const LONGEST_WAIT_MS = 15 * MINUTE;

export class DowntimeTracker {
  readonly #clock: Clock;
  readonly #runs: () => readonly RunInProgress[];
  readonly #ended = new Set<string>();
  #lastNow: number;
  #lastTick: number;
  #resumedAt: number;

  constructor(clock: Clock, runsInProgress: () => readonly RunInProgress[]) {
    this.#clock = clock;
    this.#runs = runsInProgress;
    this.#lastNow = clock.now();
    this.#lastTick = clock.monotonic();
    this.#resumedAt = this.#lastTick;
  }

  /** Called every second; returns whether the daemon was down since the last call. */
  tick(): boolean {
    const [now, tick] = [this.#clock.now(), this.#clock.monotonic()];
    const wasDown = now - this.#lastNow > LONGEST_TICK_MS || tick - this.#lastTick > LONGEST_TICK_MS;
    if (wasDown || this.#lastNow - now > LONGEST_TICK_MS) {
      this.#ended.clear();
      this.#resumedAt = tick;
    }
    [this.#lastNow, this.#lastTick] = [now, tick];
    return wasDown;
  }

  runEnded(account: string, collector: string): void {
    this.#ended.add(`${account}/${collector}`);
  }

  /** Returns the accounts without a due collector that has not run since the downtime, whose data is stale only because of it. */
  polled(accounts: readonly string[]): string[] {
    if (this.#clock.monotonic() - this.#resumedAt > LONGEST_WAIT_MS) return [...accounts];
    const unended = this.#runs().filter(
      ({ account, collector }) => !this.#ended.has(`${account}/${collector}`),
    );
    return accounts.filter((name) => unended.every(({ account }) => account !== name));
  }
}
