// Builds the daemon's parts from the folders beside this one, and disposes of them in reverse order.

import type { Alert } from '../alerts/alert.ts';
import { ALERT_FAMILIES, exposeThresholds } from '../alerts/families.ts';
import { thresholdsOf } from '../alerts/settings.ts';
import { ALERTS } from '../alerts/table.ts';
import { FAMILIES } from '../collectors/index.ts';
import { changedSettings } from '../config/unchanged.ts';
import type { Clock } from '../lib/clock.ts';
import type { Family } from '../lib/family.ts';
import type { Log } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import { Exposition } from '../metrics/exposition.ts';
import { createProbe } from '../prober/make-probe.ts';
import type { Probe } from '../prober/probe.ts';
import { Runner } from '../schedule/runner.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { RunningAccount } from './account.ts';
import { Accounts, type Changes } from './accounts.ts';
import { Alerting } from './alerting.ts';
import { Backups } from './backups.ts';
import { ClockJournal, StoreJournal } from './journals.ts';
import { Maintenance, storeUserUse } from './maintenance.ts';
import { ProbeRequests } from './probe-requests.ts';
import { RemoteWriting } from './remote-write/remote-writing.ts';
import { ReportSender } from './report/report-sender.ts';
import { RunJournal } from './run-journal.ts';
import { applyReloadable, changedSections, globalAlertChanges, type Settings } from './settings.ts';
import { ALONE, labelsOf } from './shards/shard.ts';
import { logRestrictedModes, StoreCheck } from './store-check.ts';
import {
  checkConflicts,
  locatedIn,
  type MistakeAt,
  mistakeInSettings,
  movedLogger,
  withoutMoved,
} from './stored-accounts.ts';
import { TestsNow } from './tests/tests-now.ts';

/** How long a stop waits for the current runs; the rest of its 10 s is needed for closing. */
const STOP_GRACE_MS = 5 * SECOND;

const OLDER_FILE_WARNING =
  'the store is an older file than at the last run. All counters begin a new epoch at 0. The first complete reading is a baseline and does not count';

export interface AppOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** As in `process.versions.node`. */
  readonly nodeVersion: string;
  /** The documentation that alerts link to if the configuration names none. */
  readonly docsUrl?: string | undefined;
  /** Locates mistakes that only the store reveals in the configuration's file. */
  readonly mistakeAt?: MistakeAt;
  /** Whether the store survives a power loss; true by default. */
  readonly isDurable?: boolean;
  /** The alerts that the daemon evaluates; all by default. */
  readonly alerts?: readonly Alert[];
  /** Factor for the hold times of alerts. */
  readonly holdScale?: number;
  /** Makes probes; tests give their own. */
  readonly probe?: Probe;
}

/** A daemon without its HTTP server and its tick, which the caller adds. */
export interface App extends AsyncDisposable {
  readonly settings: Settings;
  readonly store: Store;
  readonly runner: Runner;
  readonly exposition: Exposition;
  readonly metrics: DaemonMetrics;
  readonly accounts: readonly RunningAccount[];
  readonly maintenance: Maintenance;
  readonly backups: Backups;
  readonly alerting: Alerting;
  readonly reports: ReportSender;
  readonly journal: RunJournal;
  readonly storeCheck: StoreCheck;
  readonly storeJournal: StoreJournal;
  readonly clockJournal: ClockJournal;
  readonly probeRequests: ProbeRequests;
  readonly testsNow: TestsNow;
  readonly remoteWriting: RemoteWriting;
  /** Increases with each reload, so that answers cached before it are not reused. */
  readonly generation: number;
  /** Applies all new settings or none; the caller makes one call at a time. Throws ConfigError and StoreError. */
  reconfigure(settings: Settings, mistakeAt?: MistakeAt): Promise<Reconfiguration>;
}

export interface Reconfiguration extends Changes {
  /** Paths of changed settings that take effect only at a start. */
  readonly needsRestart: readonly string[];
}

/** Opens the store and every account; runs start when the caller adds the jobs to the runner. Throws StoreError and ConfigError. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const {
    settings: loadedSettings,
    clock,
    log,
    version,
    nodeVersion,
    docsUrl,
    mistakeAt = mistakeInSettings,
    isDurable = true,
    alerts = ALERTS,
    holdScale = 1,
    probe = createProbe({ clock }),
  } = options;
  await using stack = new AsyncDisposableStack();
  const { sharding = ALONE } = loadedSettings;
  const metrics = new DaemonMetrics({ version, nodeVersion, shard: sharding });
  const storeJournal = new StoreJournal(clock, log);
  const isLogged = (error: unknown): boolean => storeJournal.covers(error);
  const clockJournal = new ClockJournal(clock, log);
  const store = stack.use(
    openSqliteStore({
      path: loadedSettings.store.path,
      firstStepHoldMs: loadedSettings.metrics.first_step_hold,
      observeWrite: (durationMs, error) => {
        metrics.store.written(durationMs, error);
        if (error === undefined) storeJournal.written();
        else isLogged(error);
      },
      clock,
      isDurable,
      onRestricted: (modes) => logRestrictedModes(modes, log),
    }),
  );
  const logMoved = movedLogger(log, loadedSettings.store.path);
  const settings = await withoutMoved(loadedSettings, store, logMoved);
  if (store.epoch.isNew) log.warn({ store: settings.store.path }, OLDER_FILE_WARNING);
  await checkConflicts(settings, store, clock, locatedIn(loadedSettings, settings, mistakeAt));
  metrics.store.watch(() => store.size(), store.epoch.beganAt);
  metrics.reloaded(true, clock.now());
  const isShown = ({ isDerived }: Family): boolean => !isDerived || settings.metrics.derived_counters;
  const exposition = new Exposition([...FAMILIES, ...ALERT_FAMILIES].filter(isShown), metrics, clock);
  /** Renders the thresholds of alerts about the daemon; each account renders its own. */
  const renderThresholds = ({ alerts }: Settings): Promise<void> =>
    exposition.render({ collector: '', account: '' }, async (sink) =>
      exposeThresholds(thresholdsOf('daemon', globalAlertChanges(alerts)), sink),
    );
  const runner = new Runner({
    clock,
    log,
    store,
    countAccounts: () => accounts.list.length,
    isLogged,
    onRun: (job, result, skipped) => {
      const { account, collector } = job;
      metrics.runEnded(account, collector, result);
      metrics.itemsSkipped(account, collector, skipped);
      journal.runEnded(job, result, skipped);
      if (result === 'skipped') return;
      const isLast = runner.runsInProgress(account).every((run) => run.collector === collector);
      accounts.list.find(({ name }) => name === account)?.log.runEnded(isLast);
    },
    afterRun: async (job, result) => {
      await alerting.afterRun(job, result);
      await storeUserUse({ store, log, isLogged, zoneOf }, job, stopUserUse.signal);
    },
  });
  let [current, generation] = [settings, 0];
  const zone = (): string => current.schedule_time_zone;
  const journal = new RunJournal({ store, clock, log, accounts: () => accounts.list, zone });
  const onRequest = (account: string, code: string): void => journal.requestEnded(account, code);
  const userAgent = `proxywatch/${version}`;
  const context = { store, clock, log, exposition, metrics, onRequest, userAgent, probe };
  const accounts = stack.use(new Accounts({ ...context, isLogged }, runner));
  const alerting = stack.use(
    new Alerting({
      ...{ ...context, isLogged, alerts, holdScale, runner, docsUrl },
      daemonLabels: labelsOf(sharding),
      accounts: () => accounts.list,
    }),
  );
  stack.defer(() => journal.idle());
  stack.defer(() => runner.stop(STOP_GRACE_MS));
  const probeRequests = stack.use(new ProbeRequests({ clock, accounts: () => accounts.list }));
  const testsNow = new TestsNow({ clock, log, runner, accounts: () => accounts.list });
  const zoneOf = (name: string) => accounts.list.find((each) => each.name === name)?.settings.time_zone;
  const stopUserUse = new AbortController();
  stack.defer(() => stopUserUse.abort());
  await accounts.open(settings);
  await renderThresholds(settings);
  await alerting.start(settings);
  const services = { ...context, isLogged, settings: () => current };
  const reports = stack.use(new ReportSender({ ...services, alerting, accounts: () => accounts.list }));
  const maintenance = stack.use(new Maintenance(services));
  const backups = stack.use(await Backups.start(services));
  const remoteWriting = stack.use(
    new RemoteWriting(
      {
        ...{ store, clock, log, userAgent, isLogged },
        counted: (receiver, counts) => metrics.remoteWrite.counted(receiver, counts),
      },
      settings,
    ),
  );
  metrics.remoteWrite.watch(
    () =>
      remoteWriting.writers.map((writer) => ({
        ...{ name: writer.name, isProven: writer.isProven },
        waitingSince: alerting.waitingSinceOf('RemoteWriteFailing', writer),
      })),
    clock,
  );
  await remoteWriting.configure(settings);
  const storeCheck = stack.use(new StoreCheck({ store, clock, log, isLogged }));
  const owned = stack.move();
  return {
    ...{ store, runner, exposition, metrics, maintenance, backups, alerting, reports, journal },
    ...{ storeCheck, storeJournal, clockJournal, probeRequests, testsNow, remoteWriting },
    get settings() {
      return current;
    },
    get accounts() {
      return accounts.list;
    },
    get generation() {
      return generation;
    },
    reconfigure: async (all, mistakeAt = mistakeInSettings) => {
      const loaded = await withoutMoved(all, store, logMoved);
      const next = applyReloadable(current, loaded);
      await checkConflicts(next, store, clock, locatedIn(all, next, mistakeAt));
      const changes = await accounts.replace(next);
      const changed = changedSections(current, next);
      current = next;
      await renderThresholds(next);
      await alerting.reconfigure(next);
      await remoteWriting.configure(next);
      generation += 1;
      return {
        ...changes,
        changed: [...changed, ...changes.changed],
        needsRestart: changedSettings(next, loaded),
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
