// The composition root: builds the daemon by hand, from the bottom up, and takes it down in reverse.

import type { Alert } from '../alerts/alert.ts';
import { ALERT_FAMILIES, exposeThresholds } from '../alerts/families.ts';
import { thresholdsOf } from '../alerts/settings.ts';
import { ALERTS } from '../alerts/table.ts';
import { FAMILIES } from '../collectors/index.ts';
import { changedSettings, isUnchanged, withUnchanged } from '../config/unchanged.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import { Exposition } from '../metrics/exposition.ts';
import { Runner } from '../schedule/runner.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { RunningAccount } from './account.ts';
import type { Changes } from './account-changes.ts';
import { Accounts } from './accounts.ts';
import { Alerting } from './alerting.ts';
import { checkConflicts, type MistakeAt, mistakeInSettings } from './history-conflicts.ts';
import { Maintenance } from './maintenance.ts';
import { changesOfAll, type Settings } from './settings.ts';

/** What a stop may wait for runs that are going: the rest of its 10 s is for closing. */
const STOP_GRACE_MS = 5 * SECOND;

const OLDER_FILE =
  'the store is an older file that was put back: its counters begin a new epoch at 0, and what the provider tells first is history';

export interface AppOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** As in `process.versions.node`. */
  readonly nodeVersion: string;
  /** Places mistakes that only the store can tell in the configuration's file. */
  readonly mistakeAt?: MistakeAt;
  /** Whether the store is to survive a power loss: yes unless given. */
  readonly isLasting?: boolean;
  /** The table of those that the daemon evaluates; all unless given. */
  readonly alerts?: readonly Alert[];
  /** Holds of alerts are multiplied by it. */
  readonly holdScale?: number;
}

/** A daemon without its HTTP server and its heartbeat: these are the caller's to add. */
export interface App extends AsyncDisposable {
  /** In effect. */
  readonly settings: Settings;
  readonly store: Store;
  readonly runner: Runner;
  readonly exposition: Exposition;
  readonly metrics: DaemonMetrics;
  readonly accounts: readonly RunningAccount[];
  readonly maintenance: Maintenance;
  readonly alerting: Alerting;
  /** Another one after each reload. */
  readonly generation: number;
  /** Has it run by other settings, all or nothing; one call at a time. Throws ConfigError and StoreError. */
  reconfigure(settings: Settings, mistakeAt?: MistakeAt): Promise<Reconfiguration>;
}

export interface Reconfiguration extends Changes {
  /** Paths of settings that were changed in vain: they are read at the start alone. */
  readonly needsRestart: readonly string[];
}

/** Opens the store and every account; runs start when its jobs are added to the runner. Throws StoreError and ConfigError. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const {
    settings,
    clock,
    log,
    version,
    nodeVersion,
    mistakeAt = mistakeInSettings,
    isLasting = true,
    alerts = ALERTS,
    holdScale = 1,
  } = options;
  await using stack = new AsyncDisposableStack();
  const metrics = new DaemonMetrics({ version, nodeVersion });
  const store = stack.use(
    openSqliteStore({
      path: settings.store.path,
      firstStepHoldMs: settings.metrics.first_step_hold,
      observeWrite: (durationMs, error) => metrics.store.written(durationMs, error),
      clock,
      isLasting,
    }),
  );
  if (store.epoch.isNew) log.warn({ store: settings.store.path }, OLDER_FILE);
  await checkConflicts(settings, store, clock, mistakeAt);
  metrics.store.watch(() => store.size(), store.epoch.beganAt);
  metrics.reloaded(true, clock.now());
  const exposition = new Exposition([...FAMILIES, ...ALERT_FAMILIES], metrics);
  /** Those of alerts about the daemon; an account renders its own. */
  const showThresholds = ({ alerts }: Settings): Promise<void> =>
    exposition.render({ collector: '', account: '' }, async (sink) =>
      exposeThresholds(thresholdsOf('daemon', changesOfAll(alerts)), sink),
    );
  const runner = new Runner({
    clock,
    log,
    store,
    onRun: ({ account, collector }, result, skipped) => {
      metrics.runEnded(account, collector, result);
      metrics.itemsSkipped(account, collector, skipped);
    },
    afterRun: (job, result) => alerting.afterRun(job, result),
  });
  const context = { store, clock, log, exposition, metrics, userAgent: `proxywatch/${version}` };
  const accounts = stack.use(new Accounts(context, runner));
  const alerting = stack.use(
    new Alerting({ ...context, alerts, holdScale, runner, accounts: () => accounts.list }),
  );
  stack.defer(() => runner.stop(STOP_GRACE_MS));
  await accounts.open(settings);
  await showThresholds(settings);
  await alerting.start(settings);
  let [inEffect, generation] = [settings, 0];
  const maintenance = stack.use(new Maintenance({ store, settings: () => inEffect, clock, log, metrics }));
  const owned = stack.move();
  return {
    ...{ store, runner, exposition, metrics, maintenance, alerting },
    get settings() {
      return inEffect;
    },
    get accounts() {
      return accounts.list;
    },
    get generation() {
      return generation;
    },
    reconfigure: async (wanted, mistakeAt = mistakeInSettings) => {
      const next = changeable(inEffect, wanted);
      await checkConflicts(next, store, clock, mistakeAt);
      const changes = await accounts.replace(next);
      const alertsChanged = isUnchanged(inEffect.alerts, next.alerts) ? [] : ['alerts'];
      inEffect = next;
      await showThresholds(next);
      await alerting.reconfigure(next);
      generation += 1;
      return {
        ...changes,
        changed: [...alertsChanged, ...changes.changed],
        needsRestart: changedSettings(next, wanted),
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

/** The settings in effect with all that can be changed as it is wanted; what is the same stays the very same. */
const changeable = (inEffect: Settings, wanted: Settings): Settings => {
  const known = new Map(inEffect.accounts.map((account) => [account.name, account]));
  return {
    ...inEffect,
    store: { ...inEffect.store, retention: wanted.store.retention },
    log: { ...inEffect.log, level: wanted.log.level },
    alerts: wanted.alerts,
    schedule_time_zone: wanted.schedule_time_zone,
    accounts: wanted.accounts.map((account) => {
      const before = known.get(account.name);
      return before ? withUnchanged(before, account) : account;
    }),
  };
};
