// Reloads the configuration file while the daemon runs: one reload at a time, all settings or none.

import { ConfigError, describeMistake } from '../config/config-error.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ReloadAnswer } from '../http/daemon-view.ts';
import type { Clock } from '../lib/clock.ts';
import type { LevelledLog } from '../lib/log.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { App } from './app.ts';
import type { Settings } from './settings.ts';
import { logShard } from './shards/shard.ts';

export interface ReloaderOptions {
  /** Reads and checks the file. Throws ConfigError. */
  readonly load: () => LoadedConfig<Settings>;
  readonly clock: Clock;
  readonly log: LevelledLog;
}

export class Reloader implements AsyncDisposable {
  readonly #options: ReloaderOptions;
  readonly #app = Promise.withResolvers<App>();
  #last: Promise<unknown> = this.#app.promise;
  #next: Promise<ReloadAnswer> | undefined;
  #isStopping = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
  }

  /** Allows reloads, starting with those requested before. Call it once all jobs of the app have been added. */
  start(app: App): void {
    this.#app.resolve(app);
  }

  /**
   * Reloads the file as it is after the call. Requests made during a reload wait for it, then share one further
   * reload and its answer. Never rejects.
   */
  request(): Promise<ReloadAnswer> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      const reload = this.#reload();
      this.#last = reload;
      return reload;
    });
    return this.#next;
  }

  /** Waits for the current reload and refuses further ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#last;
  }

  /** Errors end here: the old configuration stays in effect, and a signal has no caller to report them to. */
  async #reload(): Promise<ReloadAnswer> {
    if (this.#isStopping) return { result: 'failed', error: 'proxywatch is stopping' };
    const { clock, load, log } = this.#options;
    const app = await this.#app.promise;
    const { metrics } = app;
    try {
      const { config, mistakeAt } = load();
      const { needsRestart, ...changes } = await app.reconfigure(config, mistakeAt);
      log.setLevel(config.log.level);
      metrics.reloaded(true, clock.now());
      log.info({ ...changes }, 'proxywatch reloaded the configuration');
      if (changes.added.length + changes.removed.length > 0) logShard(log, app.settings);
      if (needsRestart.length > 0)
        log.warn({ needsRestart }, 'these changed settings take effect only after a restart');
      return { result: 'reloaded', ...changes, needsRestart };
    } catch (error) {
      metrics.reloaded(false, clock.now());
      return this.#reportFailure(error);
    }
  }

  #reportFailure(error: unknown): ReloadAnswer {
    const message = 'proxywatch did not reload the configuration. The old configuration stays in effect';
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
