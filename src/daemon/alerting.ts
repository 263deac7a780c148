// The daemon's own evaluation of alerts, wired to what it goes by and to whom it tells: runs, time, metrics, receivers.

import type { ActiveAlerts } from '../alerts/active.ts';
import type { Alert } from '../alerts/alert.ts';
import type { AlertedAccount } from '../alerts/conditions.ts';
import { AlertEngine, type Arrangement } from '../alerts/engine.ts';
import { exposeFiring } from '../alerts/families.ts';
import { logChanged } from '../alerts/log.ts';
import { type Changed, type Teller, tellerOf } from '../alerts/notice.ts';
import { Receivers } from '../alerts/receivers/receivers.ts';
import { isFiring } from '../alerts/state.ts';
import { Background } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import type { Exposition } from '../metrics/exposition.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Job, RunnerResult } from '../schedule/job.ts';
import type { Runner } from '../schedule/runner.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { Store } from '../store/store.ts';
import type { RunningAccount } from './account.ts';
import { stateOf } from './account-state.ts';
import { Watch } from './polled-again.ts';
import { changesOfAll, type Settings } from './settings.ts';

export interface AlertingOptions {
  readonly alerts: readonly Alert[];
  readonly holdScale: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly exposition: Exposition;
  readonly metrics: DaemonMetrics;
  readonly runner: Pick<Runner, 'status'>;
  readonly accounts: () => readonly RunningAccount[];
  readonly userAgent: string;
}

/** How often what hangs on time alone is looked at; scaled like the holds that are measured by it. */
const EVERY_MS = 15 * SECOND;
/** An evaluation that takes longer is stuck. */
const STUCK_MS = 5 * MINUTE;

export class Alerting implements AsyncDisposable {
  readonly #options: AlertingOptions;
  readonly #engine: AlertEngine;
  readonly #receivers: Receivers;
  readonly #teller: Teller;
  readonly #watch: Watch;
  readonly #ticking = new Background(() => this.#evaluate());
  readonly #rendering = new Background(() => this.#render());
  /** Accounts whose firing alerts are to be shown anew. */
  #unshown = new Set<string>();
  #isOn = false;
  /** On the monotonic clock. */
  #nextAt = Number.NEGATIVE_INFINITY;
  #evaluatedAt: number;
  /** By the clock, to be shown. */
  #lastEvaluation: number | null = null;
  #isFailing = false;
  /** Settings that are not in effect yet. */
  #wanted: Settings | undefined;

  constructor(options: AlertingOptions) {
    const { alerts, holdScale, store, clock, log, metrics, userAgent, runner } = options;
    this.#options = options;
    this.#teller = tellerOf(alerts);
    this.#watch = new Watch(clock, () => runner.status());
    this.#evaluatedAt = clock.monotonic();
    this.#engine = new AlertEngine({
      ...{ alerts, holdScale, store, clock, log, teller: this.#teller },
      onSettled: (changed, dropped) => this.#settled(changed, dropped),
      onUnstored: (notices) => this.#receivers.tell(notices),
    });
    this.#receivers = new Receivers({
      ...{ store: store.alerts, clock, log, userAgent, teller: this.#teller },
      alerts: () => ({ firing: this.#firing(), ended: this.#engine.active.ended }),
      isHealthy: () => this.#isHealthy(),
      count: (receiver, result, number) => metrics.notified(receiver, result, number),
    });
    metrics.watchReceivers(() => this.#receivers.list);
  }

  /** Whether alerts are evaluated at all. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** When alerts were last evaluated (ms); null before the first time. */
  get evaluatedAt(): number | null {
    return this.#isOn ? this.#lastEvaluation : null;
  }

  /** Those that are pending or firing. */
  get active(): ActiveAlerts {
    return this.#engine.active;
  }

  get teller(): Teller {
    return this.#teller;
  }

  /** Takes up what the store has of alerts and notices. Throws StoreError. */
  async start(settings: Settings): Promise<void> {
    await this.#engine.load();
    await this.#take(settings);
    for (const { account } of this.#engine.active) this.#unshown.add(account);
    this.#rendering.start();
  }

  /** Goes by other settings at once, as the accounts do already, or at the first tick at which the store takes it. */
  async reconfigure(settings: Settings): Promise<void> {
    this.#wanted = settings;
    this.#ticking.start();
    await this.#ticking.idle();
  }

  /** Looks at what the run may have changed. Throws StoreError. */
  async afterRun({ account, collector }: Job, result: RunnerResult): Promise<void> {
    if (result === 'skipped') return;
    this.#watch.ended(account, collector);
    if (this.#isOn) await this.#engine.afterRun(account, collector, result);
  }

  /** To be called every second or so. */
  tick(): void {
    if (this.#watch.tick()) this.#engine.wasAway();
    this.#receivers.tick();
    const now = this.#options.clock.monotonic();
    if (now < this.#nextAt) return;
    this.#nextAt = now + EVERY_MS * this.#options.holdScale;
    this.#ticking.start();
  }

  /** Resolves when nothing is evaluated, shown or sent. */
  async idle(): Promise<void> {
    await this.#ticking.idle();
    await this.#engine.idle();
    await Promise.all([this.#rendering.idle(), this.#receivers.idle()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ticking.idle();
    await this.#engine.idle();
    await this.#rendering.idle();
    await this.#receivers[Symbol.asyncDispose]();
  }

  #arrangementOf(settings: Settings): Arrangement {
    const { evaluate, receivers } = settings.alerts;
    this.#isOn = evaluate ?? receivers.length > 0;
    if (!this.#isOn) return { accounts: [], changes: undefined, receivers: [] };
    const changes = changesOfAll(settings.alerts);
    return {
      accounts: this.#options.accounts().map((account) => alertedAccount(account, changes)),
      changes,
      receivers: receivers.filter(({ type }) => type === 'webhook').map(({ name }) => name),
    };
  }

  async #take(settings: Settings): Promise<void> {
    await this.#engine.arrange(this.#arrangementOf(settings));
    await this.#receivers.replace(this.#isOn ? settings.alerts.receivers : []);
    this.#wanted = undefined;
  }

  async #evaluate(): Promise<void> {
    const { accounts, clock, log, metrics } = this.#options;
    const settled = accounts().filter(({ name }) => this.#watch.isSettled(name));
    const waiting = this.#receivers.list.flatMap(({ name, waitingSince }) =>
      waitingSince === undefined ? [] : [[name, waitingSince] as const],
    );
    const { isReloadSuccessful, store } = metrics;
    try {
      if (this.#wanted) await this.#take(this.#wanted);
      await this.#engine.tick(
        settled.map(({ name }) => name),
        {
          ...{ now: clock.now(), isReloadSuccessful, writeFailures: store.writeFailures },
          waitingSince: new Map(waiting),
        },
      );
      this.#evaluatedAt = clock.monotonic();
      this.#lastEvaluation = clock.now();
      this.#isFailing = false;
    } catch (error) {
      // Nobody else hears of it; the next tick tries again.
      if (!this.#isFailing) log.error({ ...describeFailure(error) }, 'alerts could not be evaluated');
      this.#isFailing = true;
    }
  }

  #settled(changed: Changed, dropped: ReadonlyMap<string, number>): void {
    const { log, metrics } = this.#options;
    logChanged(log, changed, this.#teller);
    for (const [receiver, count] of dropped) {
      metrics.notified(receiver, 'dropped', count);
      log.error({ receiver, count }, 'notifications that waited are dropped');
    }
    const { fired, resolved } = changed;
    if (fired.length + resolved.length === 0) return;
    for (const { account } of fired) this.#unshown.add(account);
    for (const { account } of resolved) this.#unshown.add(account);
    this.#rendering.start();
    this.#receivers.changed();
  }

  async #render(): Promise<void> {
    const { accounts, exposition, log } = this.#options;
    const [unshown, known] = [this.#unshown, new Set(['', ...accounts().map(({ name }) => name)])];
    this.#unshown = new Set();
    for (const account of unshown) {
      const part = { collector: '', account, section: 'alerts' };
      const firing = this.#engine.active.firingOf(account);
      if (!known.has(account) || firing.length === 0) exposition.drop(part);
      else
        await exposition
          .render(part, (sink) => exposeFiring(firing, sink))
          .catch((error) => log.error({ ...describeFailure(error) }, 'firing alerts could not be shown'));
    }
  }

  #firing(): StoredAlert[] {
    return [...this.#engine.active].filter(isFiring);
  }

  async #isHealthy(): Promise<boolean> {
    const { clock, store } = this.#options;
    if (this.#isFailing || clock.monotonic() - this.#evaluatedAt > STUCK_MS) return false;
    return store.probe().then(
      () => true,
      () => false,
    );
  }
}

const alertedAccount = (
  account: RunningAccount,
  changes: ReturnType<typeof changesOfAll>,
): AlertedAccount => ({
  context: account.context,
  changes: [changes, account.settings.alerts],
  optionsOf: (collector) => account.settings[collector] || undefined,
  state: () => stateOf(account),
});
