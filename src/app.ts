// The composition root: builds the daemon by hand, from the bottom up, and takes it down in reverse.

import { openAccount, type RunningAccount } from './account.ts';
import { FAMILIES } from './collectors/index.ts';
import { checkConflicts, type MistakeAt, mistakeInSettings } from './conflicts.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { SECOND } from './lib/time.ts';
import { DaemonMetrics } from './metrics/daemon-metrics.ts';
import { Exposition } from './metrics/exposition.ts';
import { Runner } from './schedule/runner.ts';
import { accountSettings, type Settings } from './settings.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

/** What a stop may wait for runs that are going: the rest of its 10 s is for closing. */
const STOP_GRACE_MS = 5 * SECOND;

const OLDER_FILE =
  'the store is an older file that was put back: its counters begin a new epoch at 0, and what the provider tells first is history';

export interface AppOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Places mistakes that only the store can tell in the configuration's file. */
  readonly mistakeAt?: MistakeAt;
}

/** A daemon without its HTTP server and its heartbeat: these are the caller's to add. */
export interface App extends AsyncDisposable {
  readonly store: Store;
  readonly runner: Runner;
  readonly exposition: Exposition;
  readonly accounts: readonly RunningAccount[];
}

/** Opens the store and every account; runs start when its jobs are added to the runner. Throws StoreError and ConfigError. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const { settings, clock, log, version, mistakeAt = mistakeInSettings } = options;
  await using stack = new AsyncDisposableStack();
  const metrics = new DaemonMetrics({ version, nodeVersion: process.versions.node });
  const store = stack.use(
    openSqliteStore({
      path: settings.store.path,
      firstStepHoldMs: settings.metrics.first_step_hold,
      observeWrite: (durationMs, error) => metrics.storeWritten(durationMs, error),
      clock,
    }),
  );
  if (store.epoch.isNew) log.warn({ store: settings.store.path }, OLDER_FILE);
  await checkConflicts(settings, store, clock, mistakeAt);
  metrics.watchStore(() => store.size(), store.epoch.beganAt);
  metrics.reloaded(true, clock.now());
  const exposition = new Exposition(FAMILIES, metrics);
  const house = { store, clock, log, exposition, metrics, userAgent: `proxywatch/${version}` };
  const accounts: RunningAccount[] = [];
  for (const account of settings.accounts) {
    accounts.push(stack.use(await openAccount(account, accountSettings(account, settings), house)));
  }
  const runner = new Runner({
    clock,
    log,
    store,
    onRun: ({ account, collector }, result, skipped) => {
      metrics.runEnded(account, collector, result);
      metrics.itemsSkipped(account, collector, skipped);
    },
  });
  stack.defer(() => runner.stop(STOP_GRACE_MS));
  const owned = stack.move();
  return { store, runner, exposition, accounts, [Symbol.asyncDispose]: () => owned.disposeAsync() };
};
