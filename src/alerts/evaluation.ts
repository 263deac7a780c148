// Evaluates the configured alerts of the accounts and of the daemon, and adds what changes to the changes of an evaluation.

import { yieldEvery } from '../lib/steps.ts';
import type { RunResult } from '../store/account-store.ts';
import type { StoredAlert } from '../store/alert-store.ts';
import type { ActiveAlerts } from './active.ts';
import {
  type AccountAlert,
  type Alert,
  collectorsOf,
  type DaemonAlert,
  type DaemonState,
  type Finding,
} from './alert.ts';
import {
  AccountConditions,
  type EvaluatedAccount,
  type EvaluationDependencies,
  type Findings,
} from './conditions.ts';
import { SHARD_LABEL } from './receivers/routing-options.ts';
import { type AlertOverrides, configuredAlert } from './settings.ts';
import { advanceState, type EvaluationChanges, groupKey, labelsKey, nextState, type Rule } from './state.ts';

export interface EvaluationOptions extends EvaluationDependencies {
  /** Scales `holdMs` and `keepFiringMs` of all alerts, as `RuleOptions.holdScale` does in the rules. */
  readonly holdScale?: number;
  /** Labels that alerts about the daemon have in addition to their own. */
  readonly daemonLabels?: Readonly<Record<string, string>>;
}

export interface Evaluated {
  readonly accounts: readonly EvaluatedAccount[];
  /** Overrides of the alerts about the daemon; undefined if these are not evaluated. */
  readonly daemonOverrides: AlertOverrides | undefined;
}

/** The stored account of alerts about the daemon. */
const DAEMON_ACCOUNT = '';
export class Evaluation {
  readonly #options: EvaluationOptions;
  readonly #active: () => ActiveAlerts;
  #conditions = new Map<string, AccountConditions>();
  #daemonOverrides: AlertOverrides | undefined;
  /** By account: alerts evaluated since the start or a clock jump. Others keep their stored state, as it may still hold. */
  readonly #evaluated = new Map<string, Set<string>>();

  constructor(options: EvaluationOptions, active: () => ActiveAlerts) {
    this.#options = options;
    this.#active = active;
  }

  /** Ends alerts that are no longer configured, and repeats the other evaluations. */
  async reconfigure({ accounts, daemonOverrides }: Evaluated, changes: EvaluationChanges): Promise<void> {
    this.#daemonOverrides = daemonOverrides;
    this.#conditions = new Map(
      accounts.map((account) => [account.context.name, new AccountConditions(account, this.#options)]),
    );
    await this.#endUnconfigured(changes);
    for (const [account, { alerts }] of this.#conditions) {
      const evaluated = this.#evaluatedOf(account);
      for (const { name } of this.#options.alerts)
        if (!alerts.some((on) => on.name === name)) evaluated.delete(name);
      await this.#evaluate(account, changes, ({ name, alsoAtStart }) => alsoAtStart || evaluated.has(name));
    }
    for (const account of this.#evaluated.keys())
      if (!this.#conditions.has(account)) this.#evaluated.delete(account);
  }

  async afterRun(
    account: string,
    collector: string,
    result: RunResult,
    changes: EvaluationChanges,
  ): Promise<void> {
    const evaluated = this.#evaluatedOf(account);
    // The first run after a start may fail. It has stored nothing, so the alert keeps the state that it had before.
    await this.#evaluate(
      account,
      changes,
      (alert) =>
        alert.trigger === 'runs' ||
        (collectorsOf(alert).some((name) => name === collector) &&
          (result !== 'failed' || evaluated.has(alert.name))),
    );
  }

  /** Evaluates the alerts of these accounts that time alone may have changed, and ends holds of all others. */
  async asTimePasses(accounts: readonly string[], changes: EvaluationChanges): Promise<void> {
    for (const account of accounts)
      await this.#evaluate(account, changes, ({ trigger }) => trigger === 'time');
    await this.#advanceUnevaluated(changes);
  }

  async ofDaemon(state: DaemonState, changes: EvaluationChanges): Promise<void> {
    const { daemonLabels } = this.#options;
    for (const alert of this.#daemonAlerts()) {
      const { threshold } = configuredAlert(alert, this.#daemonOverrides ?? {});
      const findings = [...alert.find({ ...state, threshold })].map((finding) => ({
        ...finding,
        labels: { ...daemonLabels, ...finding.labels },
      }));
      const found = new Map(findings.map((finding) => [labelsKey(finding.labels), finding]));
      // What another shard found in the store is over, because this daemon does not find it any more.
      const isOwn = (labels: Finding['labels']) => labels[SHARD_LABEL] === daemonLabels?.[SHARD_LABEL];
      const isUnknown = (labels: Finding['labels']) =>
        isOwn(labels) && (alert.isUnknown?.(state, labels) ?? false);
      await this.#applyFindings(DAEMON_ACCOUNT, alert, found, changes, isUnknown);
    }
  }

  /** To be called when the daemon was down: the process was stopped, the machine slept, or the clock was set ahead. */
  forget(): void {
    this.#evaluated.clear();
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

  isDaemonAlertOn({ name }: DaemonAlert): boolean {
    return this.#daemonAlerts().some((alert) => alert.name === name);
  }

  /** Returns how long the condition of the alert must hold (ms). */
  holdOf(account: string, alert: Alert): number {
    return this.#ruleOf(account, alert).holdMs;
  }

  async #evaluate(
    account: string,
    changes: EvaluationChanges,
    isTarget: (alert: AccountAlert) => boolean | undefined,
  ): Promise<void> {
    const conditions = this.#conditions.get(account);
    if (!conditions) return;
    const evaluated = this.#evaluatedOf(account);
    const targets = conditions.alerts.filter(isTarget);
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
    const [rule, known] = [this.#ruleOf(account, alert), this.#active().group(account, alert.name)];
    const group = { account, alert: alert.name };
    const yieldTurn = yieldEvery();
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
    const yieldTurn = yieldEvery();
    for (const { scope, name } of this.#options.alerts) {
      if (scope !== 'account') continue;
      for (const [account, conditions] of this.#conditions) {
        const alert = conditions.alerts.find((candidate) => candidate.name === name);
        if (!alert || !this.#evaluatedOf(account).has(name) || changes.includes(account, name)) continue;
        const rule = this.#ruleOf(account, alert);
        for (const before of this.#active().group(account, name).values()) {
          if (dependsOnTime(before)) changes.add(before, advanceState(before, rule, changes.now));
          await yieldTurn();
        }
      }
    }
  }

  async #endUnconfigured(changes: EvaluationChanges): Promise<void> {
    const on = new Set(this.#daemonAlerts().map(({ name }) => groupKey(DAEMON_ACCOUNT, name)));
    for (const [account, { alerts }] of this.#conditions)
      for (const { name } of alerts) on.add(groupKey(account, name));
    const yieldTurn = yieldEvery();
    for (const alert of this.#active()) {
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
    const keepFiringMs = (alert.keepFiringMs ?? 0) * holdScale;
    return { holdMs: holdMs * holdScale, keepFiringMs, severity, steps };
  }

  #evaluatedOf(account: string): Set<string> {
    const evaluated = this.#evaluated.get(account) ?? new Set();
    this.#evaluated.set(account, evaluated);
    return evaluated;
  }
}

/** Whether time alone can change the state of the alert. */
export const dependsOnTime = ({ firingSince, absentSince }: StoredAlert): boolean =>
  firingSince === null || absentSince !== null;
