// Queues the daemon's notifications in the background, and renders the metrics of firing alerts by account.

import type { ActiveAlerts } from '../alerts/active.ts';
import type { AlertEngine } from '../alerts/engine.ts';
import { exposeFiring } from '../alerts/families.ts';
import { BackgroundTask } from '../lib/background-task.ts';
import { SECOND } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { StoredAlert } from '../store/alert-store.ts';
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
    if (clock.monotonic() >= this.#nextAt && this.#engine.dispatcher.isDue(clock.now())) this.start();
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

export const logDropped = (
  dropped: ReadonlyMap<string, number>,
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
): void => {
  for (const [receiver, count] of dropped) {
    metrics.notified(receiver, 'dropped', count);
    log.error({ receiver, count }, 'proxywatch dropped notifications that waited for this receiver');
  }
};

interface FiringSeriesOptions extends Pick<Services, 'exposition' | 'log'> {
  readonly active: () => ActiveAlerts;
  /** Returns the names of the configured accounts. */
  readonly accounts: () => readonly string[];
}

export class FiringSeries {
  readonly #options: FiringSeriesOptions;
  readonly #rendering = new BackgroundTask(() => this.#render());
  /** Accounts whose firing alerts must be rendered again. */
  #changed = new Set<string>();

  constructor(options: FiringSeriesOptions) {
    this.#options = options;
  }

  /** Renders all alerts of the accounts of these alerts. */
  render(changed: Iterable<StoredAlert>): void {
    for (const { account } of changed) this.#changed.add(account);
    this.#rendering.start();
  }

  idle(): Promise<void> {
    return this.#rendering.idle();
  }

  async #render(): Promise<void> {
    const { accounts, active, exposition, log } = this.#options;
    const [changed, known] = [this.#changed, new Set(['', ...accounts()])];
    this.#changed = new Set();
    for (const account of changed) {
      const part = { collector: '', account, section: 'alerts' };
      const firing = active().firingOf(account);
      if (!known.has(account) || firing.length === 0) exposition.drop(part);
      else
        await exposition
          .render(part, (sink) => exposeFiring(firing, sink))
          .catch((error) =>
            log.error(
              { ...describeFailure(error) },
              'proxywatch could not render the metrics of firing alerts',
            ),
          );
    }
  }
}
