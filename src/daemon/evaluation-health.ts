// Knows whether the evaluation of alerts works, which a heartbeat reports.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Store } from '../store/store.ts';

interface HealthOptions {
  readonly store: Pick<Store, 'checkWritable'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether an error is logged elsewhere. */
  readonly isLogged?: (error: unknown) => boolean;
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
