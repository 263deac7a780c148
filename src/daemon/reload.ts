// Reloads: the configuration's file is read again while the daemon runs, one reload after another, all or nothing.

import { ConfigError, describeMistake } from '../config/config-error.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ReloadAnswer } from '../http/view.ts';
import type { Clock } from '../lib/clock.ts';
import type { LevelledLog } from '../lib/log.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { App } from './app.ts';
import type { Settings } from './settings.ts';

export interface ReloadsOptions {
  /** Reads and checks the file. Throws ConfigError. */
  readonly load: () => LoadedConfig<Settings>;
  readonly clock: Clock;
  readonly log: LevelledLog;
}

export class Reloads implements AsyncDisposable {
  readonly #options: ReloadsOptions;
  readonly #app = Promise.withResolvers<App>();
  #last: Promise<unknown> = this.#app.promise;
  #next: Promise<ReloadAnswer> | undefined;
  #isStopping = false;

  constructor(options: ReloadsOptions) {
    this.#options = options;
  }

  /** From now on reloads are made, first those that were asked for already. All jobs of the app have been added. */
  begin(app: App): void {
    this.#app.resolve(app);
  }

  /**
   * Reads the file after the call: who asks while a reload is going gets the answer of another one after it,
   * together with all who ask until that begins. Never rejects.
   */
  ask(): Promise<ReloadAnswer> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      const reload = this.#reload();
      this.#last = reload;
      return reload;
    });
    return this.#next;
  }

  /** Waits for the reload that is going, and makes no other. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#last;
  }

  /** Errors end here: the old configuration goes on, and a signal has nobody to tell them to. */
  async #reload(): Promise<ReloadAnswer> {
    if (this.#isStopping) return { result: 'failed', error: 'proxywatch is stopping' };
    const { clock, load, log } = this.#options;
    const { metrics, reconfigure } = await this.#app.promise;
    try {
      const { config, mistakeAt } = load();
      const { needsRestart, ...changes } = await reconfigure(config, mistakeAt);
      log.setLevel(config.log.level);
      metrics.reloaded(true, clock.now());
      log.info({ ...changes }, 'the configuration was reloaded');
      if (needsRestart.length > 0) log.warn({ needsRestart }, 'changed settings wait for a restart');
      return { result: 'reloaded', ...changes, needsRestart };
    } catch (error) {
      metrics.reloaded(false, clock.now());
      return this.#refused(error);
    }
  }

  #refused(error: unknown): ReloadAnswer {
    const message = 'the configuration was not reloaded; the old one goes on';
    if (error instanceof ConfigError) {
      const { mistakes } = error;
      this.#options.log.error({ mistakes: mistakes.map(describeMistake) }, message);
      return { result: 'mistakes', mistakes };
    }
    const failure = describeFailure(error);
    this.#options.log.error({ ...failure }, message);
    return { result: 'failed', error: failure.message };
  }
}
