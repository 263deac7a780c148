// Renders the metrics of firing alerts, account by account, after alerts have begun or ended.

import type { ActiveAlerts } from '../alerts/active.ts';
import { exposeFiring } from '../alerts/families.ts';
import { BackgroundTask } from '../lib/background-task.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { Services } from './services.ts';

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
