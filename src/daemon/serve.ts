// Runs the app: starts the HTTP server, the first runs and the tick that starts all later runs.

import { type HttpServer, startHttpServer } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { addStatusPage } from '../status-page/routes.ts';
import { hostSettings } from './addresses.ts';
import type { App } from './app.ts';
import { createView } from './http-view.ts';
import type { Reloader } from './reload.ts';
import type { Settings } from './settings.ts';

export interface DaemonOptions {
  readonly app: App;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Ends the daemon. */
  readonly signal: AbortSignal;
  /** Absent if there is no configuration file to load, as in the demo. */
  readonly reloader?: Reloader;
}

/** Serves and polls until the signal aborts. Throws the server's error if it cannot listen. */
export const serve = async (options: DaemonOptions): Promise<void> => {
  const { app, settings, clock, log, signal, reloader } = options;
  if (signal.aborted) return;
  await using server = await startHttpServer({
    listen: settings.server.listen,
    webConfigFile: settings.server.web_config_file,
    hosts: () => hostSettings(app.settings),
    view: createView(options),
    reload: async () => (await reloader?.request()) ?? { result: 'no_file' },
    addPage: addStatusPage,
    log,
    clock,
  });
  app.alerting.served = { scheme: server.scheme, port: server.address.port };
  logStart(server, options);
  app.journal.start();
  for (const account of app.accounts) {
    for (const job of account.jobs) await app.runner.add(job);
  }
  await using _ = reloader;
  reloader?.start(app);
  await tick(app, clock, signal);
};

const tick = async (
  { runner, alerting, maintenance, journal, storeCheck, storeJournal, clockJournal, remoteWriting }: App,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    clockJournal.tick();
    runner.tick();
    runner.logProgress();
    alerting.tick();
    maintenance.logProgress();
    journal.tick();
    remoteWriting.tick();
    storeCheck.tick();
    storeJournal.tick();
    // An abort rejects the wait; the condition then ends the loop.
    await clock.sleep(SECOND, signal).catch(() => {});
  }
};

const logStart = ({ address, scheme }: HttpServer, { app, settings, log, version }: DaemonOptions): void => {
  const accounts = app.accounts.map(({ name }) => name);
  const url = `${scheme}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  log.info({ version, url, accounts, store: settings.store.path }, `proxywatch serves ${url}/metrics`);
};
