// Runs the HTTP server, the first runs and the tick for later ones. Reloads the file: all settings or none.

import { ConfigError, describeMistake } from '../config/config-error.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ReloadAnswer } from '../http/daemon-view.ts';
import { type AddRoutes, type HttpServer, startHttpServer } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import type { LevelledLog } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { describeFailure } from '../schedule/failure.ts';
import { addStatusPage } from '../status-page/routes.ts';
import { hostSettings } from './addresses.ts';
import type { App } from './app.ts';
import { createView, type ViewOptions } from './http-view.ts';
import type { Settings } from './settings.ts';
import { logShard } from './shards/shard.ts';

interface DaemonOptions extends Required<ViewOptions> {
  readonly settings: Settings;
  /** Ends the daemon. */
  readonly signal: AbortSignal;
  /** Absent if there is no configuration file to load, as in the demo. */
  readonly reloader?: Reloader;
  /** Adds routes that only some daemons have, such as the demo. */
  readonly addRoutes?: AddRoutes;
}

/** Serves and polls until the signal aborts. Throws the server's error if it cannot listen. */
export const serve = async (options: DaemonOptions): Promise<void> => {
  const { app, settings, clock, log, signal, reloader, addRoutes } = options;
  if (signal.aborted) return;
  await using server = await startHttpServer({
    listen: settings.server.listen,
    webConfigFile: settings.server.web_config_file,
    hosts: () => hostSettings(app.settings),
    readers: () => app.settings.server.readers,
    publicPages: () => app.settings.server.public,
    view: createView(options),
    reload: async () => (await reloader?.request()) ?? { result: 'no_file' },
    addPage: (server, context) => {
      addStatusPage(server, context);
      addRoutes?.(server, context);
    },
    log,
    clock,
  });
  app.alerting.served = { scheme: server.scheme, port: server.address.port };
  logStart(server, options);
  app.journal.start();
  await recordStart(app, clock);
  for (const account of app.accounts) {
    for (const job of account.jobs) await app.runner.add(job);
  }
  await using _ = reloader;
  reloader?.start(app);
  await tick(app, clock, signal);
};

/** Without the record, only a mark in the plots is missing. */
const recordStart = ({ store, storeJournal }: App, clock: Clock): Promise<void> =>
  store.events.addStart(clock.now()).catch((error) => {
    if (!storeJournal.covers(error)) throw error;
  });

const tick = async (
  { runner, alerting, maintenance, journal, remoteWriting, reports, ...app }: App,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    app.clockJournal.tick();
    runner.tick();
    runner.logProgress();
    alerting.tick();
    reports.tick();
    maintenance.logProgress();
    journal.tick();
    remoteWriting.tick();
    app.storeCheck.tick();
    app.storeJournal.tick();
    // An abort rejects the wait; the condition then ends the loop.
    await clock.sleep(SECOND, signal).catch(() => {});
  }
};

const logStart = ({ address, scheme }: HttpServer, { app, settings, log, version }: DaemonOptions): void => {
  const accounts = app.accounts.map(({ name }) => name);
  const url = `${scheme}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  log.info({ version, url, accounts, store: settings.store.path }, `proxywatch serves ${url}/metrics`);
};

interface ReloaderOptions {
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

  /** Reloads the file as it is after the call. Requests during a reload share one more, and its answer. Never rejects. */
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
