// Renders the metrics of a collector's runs, also while a run waits because the provider answered 429.

import { exposeRun } from '../collectors/common-families.ts';
import { BackgroundTask } from '../lib/background-task.ts';
import type { ExpositionPart } from '../metrics/exposition.ts';
import { RunWaits } from '../provider/run-waits.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Job } from '../schedule/job.ts';
import type { Services } from './services.ts';

type Name = Pick<Job, 'account' | 'collector'>;

/** A part of their own, because a wait of a run changes none of the collector's other metrics. */
export const runPart = ({ account, collector }: Name): ExpositionPart => ({
  ...{ account, collector, section: 'run' },
});

type RunMetricsOptions = Pick<Services, 'exposition' | 'store' | 'log'>;

export class RunMetrics {
  readonly #name: Name;
  readonly #options: RunMetricsOptions;
  readonly #rendering = new BackgroundTask(() => this.#tryRender());
  readonly #errorKinds = new Set<string>();
  #waits: RunWaits | undefined;

  constructor(name: Name, options: RunMetricsOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** The end of the pause for which the current run waits (ms since the epoch); undefined if it does not wait. */
  get waitsUntil(): number | undefined {
    return this.#waits?.current?.until;
  }

  /** Returns the waits of a run that begins. Whenever they change, the metrics are rendered. */
  runBegins(): RunWaits {
    this.#waits = new RunWaits(() => this.#rendering.start());
    return this.#waits;
  }

  /** Resolves when nothing is rendered any more. The caller renders the result of the run. */
  async runEnded(): Promise<void> {
    this.#waits = undefined;
    await this.#rendering.idle();
  }

  render(): Promise<void> {
    const { account, collector } = this.#name;
    const { exposition, store } = this.#options;
    return exposition.render(runPart(this.#name), (sink) =>
      exposeRun(account, collector, store, sink, this.#errorKinds, this.#waits?.current),
    );
  }

  async #tryRender(): Promise<void> {
    await this.render().catch((error) => {
      this.#options.log.error(
        { ...describeFailure(error) },
        'the metrics of a waiting run could not be rendered',
      );
    });
  }
}
