// Evaluates the alerts in the daemon: after runs, as time passes, and when the configuration changes.

import { ClockJump } from '../lib/clock-jump.ts';
import { MINUTE } from '../lib/time.ts';
import { yieldEvery } from '../lib/yield-every.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { RunResult } from '../store/run-store.ts';
import type { ActiveAlerts } from './active.ts';
import {
  type AccountAlert,
  type Alert,
  collectorsOf,
  type DaemonAlert,
  type DaemonState,
  type Finding,
} from './alert.ts';
import { AlertWriter } from './alert-writer.ts';
import {
  AccountConditions,
  type EvaluatedAccount,
  type EvaluationDependencies,
  type Findings,
} from './conditions.ts';
import { Dispatcher, type DispatcherOptions } from './dispatch/dispatcher.ts';
import type { NotifiedAlerts } from './dispatch/notified-alerts.ts';
import type { RouteOptions } from './dispatch/route.ts';
import { EvaluationChanges } from './evaluation-changes.ts';
import { SHARD_LABEL } from './receivers/routing-options.ts';
import { AlertRecorder, type RecorderOptions } from './recorder.ts';
import { type AlertOverrides, configuredAlert } from './settings.ts';
import { advanceState, groupKey, labelsKey, nextState, type Rule } from './state.ts';

export interface EngineOptions extends EvaluationDependencies, RecorderOptions, DispatcherOptions {
  /** Scales `holdMs` and `keepFiringMs` of all alerts, as `RuleOptions.holdScale` does in the rules. */
  readonly holdScale?: number;
  /** Labels that alerts about the daemon have in addition to their own. */
  readonly daemonLabels?: Readonly<Record<string, string>>;
}

/** The part of the configuration that the engine needs. */
export interface EngineConfiguration {
  readonly accounts: readonly EvaluatedAccount[];
  /** Overrides of the alerts about the daemon; undefined if these are not evaluated. */
  readonly daemonOverrides: AlertOverrides | undefined;
  /** The receivers whose notifications wait in the store until they are delivered. */
  readonly receivers: readonly RouteOptions[];
}

/** How long an ended alert is kept, so that receivers are notified of its end more than once. */
const ENDED_RETENTION_MS = 15 * MINUTE;
/** The stored account of alerts about the daemon. */
const DAEMON_ACCOUNT = '';
/** After this many alerts, other work gets its turn. */
const ALERTS_PER_TURN = 1_000;
/** Smaller steps of the clock do not matter for holds. */
const MIN_JUMP_MS = MINUTE;

export class AlertEngine {
  readonly #options: EngineOptions;
  readonly #dispatcher: Dispatcher;
  readonly #recorder: AlertRecorder;
  #conditions = new Map<string, AccountConditions>();
  #daemonOverrides: AlertOverrides | undefined;
  /**
   * By account: alerts evaluated since the daemon started or its clock jumped. The stored state of other alerts stays,
   * because it is unknown whether their conditions still hold.
   */
  readonly #evaluated = new Map<string, Set<string>>();
  #lastWork: Promise<unknown> = Promise.resolve();
  readonly #jump: ClockJump;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#jump = new ClockJump(options.clock);
    const { alerts } = options.store;
    const writer = new AlertWriter(alerts);
    this.#dispatcher = new Dispatcher(alerts, writer, () => this.active, options);
    this.#recorder = new AlertRecorder(alerts, writer, this.#dispatcher, options);
  }

  get active(): ActiveAlerts {
    return this.#recorder.active;
  }

  /** Loads the alerts from the store. Throws StoreError, as do all methods below. */
  load(): Promise<void> {
    return this.#recorder.load();
  }

  /** Applies another configuration: ends alerts that are no longer configured, and repeats the other evaluations. */
  reconfigure({ accounts, daemonOverrides, receivers }: EngineConfiguration): Promise<void> {
    return this.#enqueue(async (changes) => {
      const { alerts } = this.#options;
      // What ends below is sent only to receivers that were notified of its beginning.
      await this.#dispatcher.configure(receivers, changes.now);
      this.#daemonOverrides = daemonOverrides;
      this.#conditions = new Map(
        accounts.map((account) => [account.context.name, new AccountConditions(account, this.#options)]),
      );
      await this.#endUnconfigured(changes);
      for (const [account, conditions] of this.#conditions) {
        const evaluated = this.#evaluatedOf(account);
        for (const { name } of alerts)
          if (!conditions.alerts.some((on) => on.name === name)) evaluated.delete(name);
        await this.#evaluate(
          account,
          conditions.alerts.filter(({ name }) => evaluated.has(name)),
          changes,
        );
      }
      for (const account of this.#evaluated.keys())
        if (!this.#conditions.has(account)) this.#evaluated.delete(account);
      await this.#recorder.apply(changes);
    });
  }

  /** Evaluates the alerts that a run of the collector may have changed. */
  afterRun(account: string, collector: string, result: RunResult): Promise<void> {
    return this.#enqueue(async (changes) => {
      const evaluated = this.#evaluatedOf(account);
      // The first run after a start may fail. It has stored nothing, so the alert keeps the state that it had before.
      const isAffected = (alert: AccountAlert) =>
        alert.trigger === 'runs' ||
        (collectorsOf(alert).some((name) => name === collector) &&
          (result !== 'failed' || evaluated.has(alert.name)));
      const alerts = this.#conditions.get(account)?.alerts ?? [];
      await this.#evaluate(account, alerts.filter(isAffected), changes);
      await this.#recorder.apply(changes);
    });
  }

  /** Evaluates the alerts that time alone may have changed: those of these accounts, and those about the daemon. */
  tick(accounts: readonly string[], state: DaemonState): Promise<void> {
    return this.#enqueue(async (changes) => {
      // Alerts about the daemon come first. They can report that the store fails, so that the others cannot be saved.
      await this.#evaluateDaemonAlerts(state, new EvaluationChanges(changes.now));
      for (const account of accounts) {
        const alerts = this.#conditions.get(account)?.alerts ?? [];
        await this.#evaluate(
          account,
          alerts.filter(({ trigger }) => trigger === 'time'),
          changes,
        );
      }
      await this.#advanceUnevaluated(changes);
      await this.#recorder.apply(changes);
      await this.#recorder.forgetEnded(changes.now - ENDED_RETENTION_MS);
    });
  }

  /** Whether `dispatch` has work at `now` (ms). */
  isDispatchDue(now: number): boolean {
    return this.#dispatcher.isDue(now);
  }

  /** Queues the notifications that are due. Returns whether more may be due at once. */
  dispatch(): Promise<boolean> {
    return this.#serialize(() => this.#dispatcher.dispatch(this.#options.clock.now()));
  }

  /** Returns what is known about the receiver, which the caller only reads; undefined if it gets no notifications. */
  notifiedOf(receiver: string): NotifiedAlerts | undefined {
    return this.#dispatcher.notifiedOf(receiver);
  }

  /** Returns the reason of the alert's last finding; undefined if it has none. */
  reasonOf({ account, alert: name, labels }: StoredAlert): string | undefined {
    const conditions = this.#conditions.get(account);
    const alert = conditions?.alerts.find((each) => each.name === name);
    return alert && conditions?.findingsOf(alert)?.get(labelsKey(labels))?.reason;
  }

  /** Returns the conditions of the account; undefined if they are not evaluated. */
  conditionsOf(account: string): AccountConditions | undefined {
    return this.#conditions.get(account);
  }

  /** Whether the alert has been evaluated since the daemon started or its clock jumped. */
  isEvaluated(account: string, alert: string): boolean {
    return account === DAEMON_ACCOUNT || (this.#evaluated.get(account)?.has(alert) ?? false);
  }

  /** Whether the alert about the daemon is on. */
  isDaemonAlertOn({ name }: DaemonAlert): boolean {
    return this.#daemonAlerts().some((alert) => alert.name === name);
  }

  /** Returns how long the condition of the alert must hold (ms). */
  holdOf(account: string, alert: Alert): number {
    return this.#ruleOf(account, alert).holdMs;
  }

  /** Call it when mutes begin or end at another time than they said. */
  mutesChanged(): void {
    this.#dispatcher.mutesChanged();
  }

  /** Call it when the daemon was down: the process was stopped, the machine slept, or the clock was set ahead. */
  timeJumped(): void {
    this.#evaluated.clear();
  }

  async #evaluateDaemonAlerts(state: DaemonState, changes: EvaluationChanges): Promise<void> {
    for (const alert of this.#daemonAlerts()) {
      const { threshold } = configuredAlert(alert, this.#daemonOverrides ?? {});
      const findings = [...alert.find({ ...state, threshold })].map((finding) => ({
        ...finding,
        labels: { ...this.#options.daemonLabels, ...finding.labels },
      }));
      const found = new Map(findings.map((finding) => [labelsKey(finding.labels), finding]));
      // What another shard found in the store is over, because this daemon does not find it any more.
      const isOwn = (labels: Finding['labels']) =>
        labels[SHARD_LABEL] === this.#options.daemonLabels?.[SHARD_LABEL];
      const isUnknown = (labels: Finding['labels']) =>
        isOwn(labels) && (alert.isUnknown?.(state, labels) ?? false);
      await this.#applyFindings(DAEMON_ACCOUNT, alert, found, changes, isUnknown);
    }
    await this.#recorder.applyEvenIfUnstored(changes);
  }

  /** Resolves when nothing is being evaluated. */
  async idle(): Promise<void> {
    await this.#lastWork;
  }

  #enqueue(work: (changes: EvaluationChanges) => Promise<void>): Promise<void> {
    return this.#serialize(async () => {
      await this.#postponeHolds();
      await work(new EvaluationChanges(this.#options.clock.now()));
    });
  }

  /** Runs one evaluation or dispatch at a time, so that each starts from the result of the one before. */
  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastWork.then(work);
    // The caller gets the error. The next work runs all the same.
    this.#lastWork = done.catch(() => {});
    return done;
  }

  /** If the clock was set ahead or the machine slept, no hold ends by that alone: the skipped time does not count. */
  async #postponeHolds(): Promise<void> {
    const jumpMs = this.#jump.sinceLastCall();
    if (jumpMs < MIN_JUMP_MS) return;
    const changes = new EvaluationChanges(this.#options.clock.now());
    for (const alert of this.active) if (dependsOnTime(alert)) changes.add(alert, postponed(alert, jumpMs));
    await this.#recorder.apply(changes);
  }

  async #evaluate(
    account: string,
    targets: readonly AccountAlert[],
    changes: EvaluationChanges,
  ): Promise<void> {
    const conditions = this.#conditions.get(account);
    if (!conditions) return;
    const evaluated = this.#evaluatedOf(account);
    const affected = new Set(targets);
    for (const target of targets) {
      const isDifferent = await conditions.evaluate(target);
      const suppressed = conditions.alerts.filter((alert) => conditions.isSuppressedBy(alert, target));
      if (isDifferent) for (const alert of suppressed) if (evaluated.has(alert.name)) affected.add(alert);
    }
    for (const alert of affected) {
      evaluated.add(alert.name);
      const found = await conditions.unsuppressedFindings(alert);
      if (found) await this.#applyFindings(account, alert, found, changes);
    }
  }

  async #applyFindings(
    account: string,
    alert: Alert,
    found: Findings,
    changes: EvaluationChanges,
    isUnknown: (labels: Finding['labels']) => boolean = () => false,
  ): Promise<void> {
    const [rule, known] = [this.#ruleOf(account, alert), this.active.group(account, alert.name)];
    const group = { account, alert: alert.name };
    const yieldTurn = yieldEvery(ALERTS_PER_TURN);
    const update = (key: string, finding: Finding | undefined): Promise<void> | undefined => {
      changes.add(known.get(key), nextState(known.get(key), finding, group, rule, changes.now));
      return yieldTurn();
    };
    for (const [key, finding] of found) await update(key, finding);
    for (const [key, { labels }] of known)
      if (!found.has(key) && !isUnknown(labels)) await update(key, undefined);
  }

  /** Ends holds by time alone, for the alerts that this evaluation did not touch. */
  async #advanceUnevaluated(changes: EvaluationChanges): Promise<void> {
    for (const { scope, name } of this.#options.alerts) {
      if (scope !== 'account') continue;
      for (const [account, conditions] of this.#conditions) {
        const alert = conditions.alerts.find((candidate) => candidate.name === name);
        if (!alert || !this.#evaluatedOf(account).has(name) || changes.includes(account, name)) continue;
        await this.#advanceGroup(account, alert, changes);
      }
    }
  }

  async #advanceGroup(account: string, alert: Alert, changes: EvaluationChanges): Promise<void> {
    const [rule, yieldTurn] = [this.#ruleOf(account, alert), yieldEvery(ALERTS_PER_TURN)];
    for (const before of this.active.group(account, alert.name).values()) {
      if (dependsOnTime(before)) changes.add(before, advanceState(before, rule, changes.now));
      await yieldTurn();
    }
  }

  /** Ends alerts that are no longer configured. */
  async #endUnconfigured(changes: EvaluationChanges): Promise<void> {
    const on = new Set(this.#daemonAlerts().map(({ name }) => groupKey(DAEMON_ACCOUNT, name)));
    for (const [account, { alerts }] of this.#conditions)
      for (const { name } of alerts) on.add(groupKey(account, name));
    const yieldTurn = yieldEvery(ALERTS_PER_TURN);
    for (const alert of this.active) {
      if (!on.has(groupKey(alert.account, alert.alert))) changes.end(alert);
      await yieldTurn();
    }
  }

  #daemonAlerts(): DaemonAlert[] {
    return this.#options.alerts
      .filter((alert) => alert.scope === 'daemon')
      .filter((alert) => this.#daemonOverrides && configuredAlert(alert, this.#daemonOverrides).isEnabled);
  }

  #ruleOf(account: string, alert: Alert): Rule {
    const conditions = this.#conditions.get(account);
    const { holdMs, severity, steps } =
      alert.scope === 'account' && conditions
        ? conditions.configured(alert)
        : configuredAlert(alert, this.#daemonOverrides ?? {});
    const { holdScale = 1 } = this.#options;
    return {
      holdMs: holdMs * holdScale,
      keepFiringMs: (alert.keepFiringMs ?? 0) * holdScale,
      severity,
      steps,
    };
  }

  #evaluatedOf(account: string): Set<string> {
    const evaluated = this.#evaluated.get(account) ?? new Set();
    this.#evaluated.set(account, evaluated);
    return evaluated;
  }
}

const dependsOnTime = ({
  firingSince,
  absentSince,
}: {
  firingSince: number | null;
  absentSince: number | null;
}) => firingSince === null || absentSince !== null;

const postponed = (alert: StoredAlert, byMs: number): StoredAlert => ({
  ...alert,
  since: alert.firingSince === null ? alert.since + byMs : alert.since,
  absentSince: alert.absentSince === null ? null : alert.absentSince + byMs,
});
