// Queues the notifications of the daemon's alerts in the background, and tries again after a failure of the store.

import type { AlertEngine } from '../alerts/engine.ts';
import { BackgroundTask } from '../lib/background-task.ts';
import { SECOND } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { FailureLog, Services } from './services.ts';

interface DispatchingOptions extends FailureLog, Pick<Services, 'clock'> {
  /** Called when notifications may have been queued. */
  readonly onQueued: () => void;
}

/** How long after a failure the next attempt is made. */
const RETRY_MS = 15 * SECOND;

export class Dispatching {
  readonly #engine: AlertEngine;
  readonly #options: DispatchingOptions;
  readonly #task = new BackgroundTask(() => this.#dispatch());
  /** On the monotonic clock (ms). */
  #nextAt = Number.NEGATIVE_INFINITY;
  #isClosing = false;
  /** Whether the store rejects new notifications. */
  isFailing = false;

  constructor(engine: AlertEngine, options: DispatchingOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  start(): void {
    this.#task.start();
  }

  startIfDue(): void {
    const { clock } = this.#options;
    if (clock.monotonic() >= this.#nextAt && this.#engine.isDispatchDue(clock.now())) this.start();
  }

  idle(): Promise<void> {
    return this.#task.idle();
  }

  /** Lets the current dispatch end early. */
  close(): void {
    this.#isClosing = true;
  }

  async #dispatch(): Promise<void> {
    const { clock, isLogged, log, onQueued } = this.#options;
    try {
      while ((await this.#engine.dispatch()) && !this.#isClosing);
      this.isFailing = false;
    } catch (error) {
      // The log is the only place where this error is reported; a later tick tries again.
      if (!isLogged?.(error) && !this.isFailing)
        log.error({ ...describeFailure(error) }, 'proxywatch could not queue notifications');
      this.isFailing = true;
      this.#nextAt = clock.monotonic() + RETRY_MS;
    }
    onQueued();
  }
}

/** Reports notifications that were dropped, by receiver. */
export const logDropped = (
  dropped: ReadonlyMap<string, number>,
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
): void => {
  for (const [receiver, count] of dropped) {
    metrics.notified(receiver, 'dropped', count);
    log.error({ receiver, count }, 'proxywatch dropped notifications that waited for this receiver');
  }
};
