// Connects the daemon's evaluation of alerts with runs, time, metrics and receivers.

import type { ActiveAlerts } from '../alerts/active.ts';
import type { Alert } from '../alerts/alert.ts';
import { type Annotate, annotator } from '../alerts/annotations.ts';
import { AlertEngine } from '../alerts/engine.ts';
import { Explainer } from '../alerts/explain/explainer.ts';
import { AlertMutes, type MutedAlert } from '../alerts/muting/alert-mutes.ts';
import {
  type AlertDescriber,
  type AlertTransitions,
  alertDescriber,
  logTransitions,
} from '../alerts/notification.ts';
import { Receivers } from '../alerts/receivers/receivers.ts';
import { thresholdsOf } from '../alerts/settings.ts';
import { isFiring } from '../alerts/state.ts';
import { BackgroundTask } from '../lib/background-task.ts';
import { SECOND } from '../lib/time.ts';
import type { Job, RunnerResult } from '../schedule/job.ts';
import type { Runner } from '../schedule/runner.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { RunningAccount } from './account.ts';
import { alertLinks, type Served } from './addresses.ts';
import {
  daemonStateOf,
  engineConfigurationOf,
  type KnownReceiver,
  knownWaitingSince,
  NOTHING_EVALUATED,
} from './alerting-state.ts';
import { Dispatching, FiringSeries, logDropped } from './alerting-tasks.ts';
import { DowntimeTracker, EvaluationHealth } from './evaluation-health.ts';
import type { FailureLog, Services } from './services.ts';
import { globalAlertChanges, type Settings } from './settings.ts';

export interface AlertingOptions extends Services, FailureLog {
  readonly alerts: readonly Alert[];
  readonly holdScale: number;
  /** Labels that alerts about the daemon have in addition to their own. */
  readonly daemonLabels?: Readonly<Record<string, string>>;
  readonly runner: Pick<Runner, 'runsInProgress'>;
  readonly accounts: () => readonly RunningAccount[];
  /** The documentation that alerts link to if the configuration names none. */
  readonly docsUrl?: string | undefined;
}

/** How often conditions that depend on time alone are evaluated; scaled like the hold times that it measures. */
const EVALUATION_INTERVAL_MS = 15 * SECOND;

export class Alerting implements AsyncDisposable {
  readonly #options: AlertingOptions;
  readonly #engine: AlertEngine;
  readonly #receivers: Receivers;
  /** The silences and maintenance windows. */
  readonly mutes: AlertMutes;
  readonly describe: AlertDescriber;
  readonly annotate: Annotate;
  /** The settings that name what alerts link to. */
  #linked: Settings | undefined;
  /** How the server listens, to which alerts link if no address is configured. */
  served: Served | undefined;
  /** Of the alerts about the daemon that are on. */
  #thresholds: Readonly<Record<string, number>> = {};
  readonly #downtime: DowntimeTracker;
  readonly #ticking = new BackgroundTask(() => this.#evaluate());
  readonly #dispatching: Dispatching;
  readonly #series: FiringSeries;
  isOn = false;
  /** The newest runs while alerts were not evaluated, by account and collector. */
  readonly #missedRuns = new Map<string, Parameters<AlertEngine['afterRun']>>();
  /** On the monotonic clock (ms). */
  #nextAt = Number.NEGATIVE_INFINITY;
  readonly #health: EvaluationHealth;
  /** New settings that are not in effect yet. */
  #newSettings: Settings | undefined;

  constructor(options: AlertingOptions) {
    const { alerts, holdScale, daemonLabels = {}, store, clock, log, metrics, userAgent, runner } = options;
    this.#options = options;
    this.describe = alertDescriber(alerts, (alert) => this.#engine.evaluation.reasonOf(alert));
    this.annotate = annotator(alerts, () =>
      this.#linked ? alertLinks(this.#linked, options.docsUrl, this.served) : {},
    );
    this.mutes = new AlertMutes(store.silences, () => this.#engine.dispatcher.mutesChanged());
    this.#downtime = new DowntimeTracker(clock, () => runner.runsInProgress());
    this.#health = new EvaluationHealth(options);
    this.#engine = new AlertEngine({
      ...{ alerts, holdScale, daemonLabels, store, clock, log, describe: this.describe },
      mutes: this.mutes,
      onTransitions: (transitions) => this.#onTransitions(transitions),
      onDropped: (dropped) => logDropped(dropped, options),
      onUnstoredNotifications: (notifications) => this.#receivers.queueUnstored(notifications),
    });
    this.#receivers = new Receivers({
      ...{ store: store.alerts, clock, log, userAgent, describe: this.describe, annotate: this.annotate },
      alerts: () => ({ firing: [...this.active].filter(isFiring), ended: this.#engine.active.ended }),
      isHealthy: () => this.#health.isHealthy(),
      count: (receiver, result, number) => metrics.notified(receiver, result, number),
    });
    this.#dispatching = new Dispatching(this.#engine, {
      ...options,
      onQueued: () => this.#receivers.notificationsQueued(),
    });
    this.#series = new FiringSeries({
      ...options,
      active: () => this.active,
      accounts: () => options.accounts().map(({ name }) => name),
    });
    metrics.watchReceivers(() =>
      this.#receivers.list.map((receiver) => ({
        ...{ name: receiver.name, waiting: receiver.waiting },
        waitingSince: this.waitingSinceOf('NotificationsFailing', receiver),
      })),
    );
  }

  /** When alerts were last evaluated (ms); null before the first evaluation, or if it is off. */
  get evaluatedAt(): number | null {
    return this.isOn ? this.#health.evaluatedAt : null;
  }

  /** The alerts that are pending or firing. */
  get active(): ActiveAlerts {
    return this.#engine.active;
  }

  /** Returns since when something waits for a receiver (ms), also before the start, which the alert about it knows. */
  waitingSinceOf<T>(alert: string, receiver: KnownReceiver<T>): T | number {
    return knownWaitingSince(this.active, { alert, threshold: this.#thresholds[alert] }, receiver);
  }

  /** Returns what mutes the alert now, and until when. */
  mutedNow(alert: StoredAlert): MutedAlert | undefined {
    return this.mutes.muted(alert, this.#options.clock.now());
  }

  /** Returns what explains alerts, after the notifications that are due have been queued. */
  async explanations(): Promise<Explainer> {
    this.#dispatching.startIfDue();
    await this.#dispatching.idle();
    return new Explainer({
      ...{ alerts: this.#options.alerts, now: this.#options.clock.now(), engine: this.#engine },
      ...{ mutes: this.mutes, receivers: this.#receivers.entries, evaluatedAt: this.evaluatedAt },
      isStoreFailing: this.#dispatching.isFailing,
    });
  }

  /** Loads the stored alerts, silences and notifications, and applies the settings. Throws StoreError. */
  async start(settings: Settings): Promise<void> {
    await this.#engine.load();
    await this.mutes.load();
    await this.#apply(settings);
    this.#series.render(this.#engine.active);
  }

  /** Applies the new settings at once, or at the first tick at which the store accepts writes; the accounts use them already. */
  async reconfigure(settings: Settings): Promise<void> {
    this.#newSettings = settings;
    this.#ticking.start();
    await this.#ticking.idle();
  }

  /** Evaluates the conditions that the run may have changed. Throws StoreError. */
  async afterRun({ account, collector }: Job, result: RunnerResult): Promise<void> {
    if (result === 'skipped') return;
    this.#downtime.runEnded(account, collector);
    if (this.isOn) await this.#engine.afterRun(account, collector, result);
    else this.#missedRuns.set(`${account}/${collector}`, [account, collector, result]);
  }

  /** To be called every second or so. */
  tick(): void {
    if (this.#downtime.tick()) this.#engine.evaluation.forget();
    this.#receivers.tick();
    this.#dispatching.startIfDue();
    const now = this.#options.clock.monotonic();
    if (now < this.#nextAt) return;
    this.#nextAt = now + EVALUATION_INTERVAL_MS * this.#options.holdScale;
    this.#ticking.start();
  }

  /** To be called when reports may have been queued. */
  reportsQueued(): void {
    this.#receivers.notificationsQueued();
  }

  /** Resolves when no evaluation, rendering or notification is in progress. */
  async idle(): Promise<void> {
    await this.#ticking.idle();
    await this.#engine.idle();
    await this.#dispatching.idle();
    await Promise.all([this.#series.idle(), this.#receivers.idle()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dispatching.close();
    await this.#ticking.idle();
    await this.#engine.idle();
    await this.#dispatching.idle();
    await this.#series.idle();
    await this.#receivers[Symbol.asyncDispose]();
  }

  async #apply(settings: Settings): Promise<void> {
    this.#linked = settings;
    this.#thresholds = thresholdsOf('daemon', globalAlertChanges(settings.alerts));
    this.mutes.configure(settings.alerts.maintenance, settings.schedule_time_zone);
    this.isOn = settings.alerts.evaluate ?? settings.alerts.receivers.length > 0;
    await this.#engine.reconfigure(
      this.isOn ? engineConfigurationOf(settings.alerts, this.#options.accounts()) : NOTHING_EVALUATED,
    );
    // After a reload turned the evaluation on, alerts need not wait for the next runs, which may be a day away.
    for (const [key, run] of this.isOn ? this.#missedRuns : []) {
      await this.#engine.afterRun(...run);
      this.#missedRuns.delete(key);
    }
    await this.#receivers.replace(this.isOn ? settings.alerts.receivers : []);
    this.#dispatching.start();
    this.#newSettings = undefined;
  }

  async #evaluate(): Promise<void> {
    const { accounts, clock, metrics } = this.#options;
    const polled = this.#downtime.polled(accounts().map(({ name }) => name));
    try {
      if (this.#newSettings) await this.#apply(this.#newSettings);
      await this.#engine.tick(polled, daemonStateOf(metrics, this.#receivers.list, clock.now()));
      await this.mutes.endResolved(this.active, clock.now());
      await this.mutes.forgetExpired(clock.now());
      this.#health.succeeded();
    } catch (error) {
      this.#health.failed(error);
    }
  }

  #onTransitions(transitions: AlertTransitions): void {
    logTransitions(this.#options.log, transitions, this.describe);
    const { fired, resolved } = transitions;
    if (fired.length + resolved.length === 0) return;
    this.#series.render([...fired, ...resolved]);
    this.#receivers.alertsChanged();
    this.#dispatching.start();
  }
}
