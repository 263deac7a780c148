// Evaluates the conditions of one account's alerts, keeps what they found last, and leaves out what other alerts suppress.

import type { CommonOptions } from '../collectors/collector.ts';
import type { AccountSettings, CollectorName } from '../collectors/context.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { yieldEvery } from '../lib/steps.ts';
import { StoreError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import {
  type AccountAlert,
  type AccountState,
  type Alert,
  collectorsOf,
  type EvaluationContext,
  type Finding,
  type Suppression,
} from './alert.ts';
import { type AlertOverrides, type ConfiguredAlert, configuredAlert } from './settings.ts';
import { labelsKey } from './state.ts';

/** What the evaluation needs of an account. */
export interface EvaluatedAccount {
  readonly context: AccountSettings;
  /** The overrides for all accounts, then those of this account. */
  readonly overrides: readonly AlertOverrides[];
  /** Returns undefined if the collector is off. */
  optionsOf(collector: CollectorName): CommonOptions | undefined;
  state(): AccountState;
}

export interface EvaluationDependencies {
  readonly alerts: readonly Alert[];
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** A suppression by an alert that is on. */
interface EnabledSuppression extends Required<Omit<Suppression, 'alert'>> {
  readonly alert: AccountAlert;
}

export interface Suppressor {
  readonly alert: string;
  suppresses(finding: Finding): boolean;
}

/** By `labelsKey`. */
export type Findings = ReadonlyMap<string, Finding>;

export class AccountConditions {
  readonly #account: EvaluatedAccount;
  readonly #dependencies: EvaluationDependencies;
  /** By alert. Each evaluation asks for them many times, and a reload creates another instance. */
  readonly #configured: ReadonlyMap<AccountAlert, ConfiguredAlert>;
  /** The alerts that are on and whose collector is on. */
  readonly alerts: readonly AccountAlert[];
  /** By the alert's name, before suppression. */
  readonly #findings = new Map<string, Findings>();
  /** Alerts whose last evaluation failed, so that the log reports each failure once. */
  readonly #failedAlerts = new Set<string>();

  constructor(account: EvaluatedAccount, dependencies: EvaluationDependencies) {
    this.#account = account;
    this.#dependencies = dependencies;
    const alerts = dependencies.alerts.filter((alert) => alert.scope === 'account');
    this.#configured = new Map(alerts.map((alert) => [alert, configuredAlert(alert, ...account.overrides)]));
    this.alerts = alerts.filter((alert) => this.#isOn(alert));
  }

  #isOn(alert: AccountAlert): boolean {
    const collectors = collectorsOf(alert);
    const isPolled =
      collectors.length === 0 || collectors.some((name) => this.#account.optionsOf(name) !== undefined);
    return isPolled && this.configured(alert).isEnabled;
  }

  configured(alert: AccountAlert): ConfiguredAlert {
    return this.#configured.get(alert) ?? configuredAlert(alert, ...this.#account.overrides);
  }

  /** Evaluates the condition. Returns whether its subjects have changed. After a failure, the findings do not change. */
  async evaluate(alert: AccountAlert): Promise<boolean> {
    try {
      const before = this.#findings.get(alert.name);
      const { found, isAnyNew } = await this.#find(alert, before);
      this.#findings.set(alert.name, found);
      this.#failedAlerts.delete(alert.name);
      return isAnyNew || before?.size !== found.size;
    } catch (error) {
      // A failure affects no other alert. An unknown condition neither starts nor ends an alert.
      if (!this.#failedAlerts.has(alert.name)) this.#logFailure(alert, error);
      this.#failedAlerts.add(alert.name);
      return false;
    }
  }

  /** Returns the last findings that no other alert suppresses; undefined if its condition, or that of a suppressing one, was never evaluated. */
  async unsuppressedFindings(alert: AccountAlert): Promise<Findings | undefined> {
    const found = this.#findings.get(alert.name);
    const tests = await Promise.all(this.#suppressionsOf(alert).map((each) => this.#suppressionTest(each)));
    if (!found || tests.includes(undefined)) return undefined;
    if (tests.length === 0) return found;
    const [left, yieldTurn] = [new Map<string, Finding>(), yieldEvery()];
    for (const [key, finding] of found) {
      if (!tests.some((isSuppressed) => isSuppressed?.(finding))) left.set(key, finding);
      await yieldTurn();
    }
    return left;
  }

  /** Returns the last findings before suppression; undefined if the condition has never been evaluated. */
  findingsOf(alert: AccountAlert): Findings | undefined {
    return this.#findings.get(alert.name);
  }

  isFailing(alert: AccountAlert): boolean {
    return this.#failedAlerts.has(alert.name);
  }

  /** Returns the alerts whose last findings suppress some of the alert's, without evaluating them. */
  suppressorsOf(alert: AccountAlert): Suppressor[] {
    return this.#suppressionsOf(alert).flatMap((suppression) => {
      const found = this.#findings.get(suppression.alert.name);
      return found ? [{ alert: suppression.alert.name, suppresses: this.#testOf(suppression, found) }] : [];
    });
  }

  /** Whether findings of `other` can suppress findings of `alert`. */
  isSuppressedBy(alert: AccountAlert, other: AccountAlert): boolean {
    return this.#suppressionsOf(alert).some((suppression) => suppression.alert === other);
  }

  #suppressionsOf({ suppressedBy = [] }: AccountAlert): EnabledSuppression[] {
    return suppressedBy.flatMap(({ alert: name, equalLabels = [], sourceLabels = {} }) => {
      const alert = this.alerts.find((candidate) => candidate.name === name);
      return alert ? [{ alert, equalLabels, sourceLabels }] : [];
    });
  }

  /** Returns a test for suppressed findings; undefined if the suppressing alert has never been evaluated. */
  async #suppressionTest(
    suppression: EnabledSuppression,
  ): Promise<((finding: Finding) => boolean) | undefined> {
    const { alert } = suppression;
    if (!this.#findings.has(alert.name)) await this.evaluate(alert);
    const found = this.#findings.get(alert.name);
    return found && this.#testOf(suppression, found);
  }

  #testOf(suppression: EnabledSuppression, found: Findings): (finding: Finding) => boolean {
    const { onset } = suppression.alert;
    const isSuppressed = suppressionTest(suppression, found);
    if (!onset) return isSuppressed;
    const subjects = onset.subjects(this.#account.state());
    return (finding) => isSuppressed(finding) || subjects.has(finding.labels[onset.label] ?? '');
  }

  async #find(
    alert: AccountAlert,
    known: Findings | undefined,
  ): Promise<{ readonly found: Findings; readonly isAnyNew: boolean }> {
    const [found, yieldTurn] = [new Map<string, Finding>(), yieldEvery()];
    let isAnyNew = false;
    for await (const finding of alert.find(this.#contextOf(alert))) {
      const key = labelsKey(finding.labels);
      const before = found.get(key);
      if (!before || isWorse(alert, finding, before)) found.set(key, finding);
      if (!known?.has(key)) isAnyNew = true;
      await yieldTurn();
    }
    return { found, isAnyNew };
  }

  #contextOf(alert: AccountAlert): EvaluationContext {
    const { store, clock } = this.#dependencies;
    const { context, optionsOf, state } = this.#account;
    return {
      ...{ account: context, store, clock, state: state(), threshold: this.configured(alert).threshold },
      // The options under a collector's name come from the schema of that collector, so the cast is safe.
      options: <O extends CommonOptions>({ name }: { readonly name: CollectorName }) =>
        optionsOf(name) as O | undefined,
    };
  }

  #logFailure({ name }: AccountAlert, error: unknown): void {
    const { log } = this.#dependencies;
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof StoreError || !(error instanceof Error) ? {} : { stack: error.stack };
    log.error(
      { account: this.#account.context.name, alert: name, message, ...stack },
      'the alert could not be evaluated; it keeps its state',
    );
  }
}

/** Returns a test for the findings that these findings of the suppressing alert suppress. */
const suppressionTest = (
  { equalLabels, sourceLabels }: EnabledSuppression,
  found: Findings,
): ((finding: Finding) => boolean) => {
  const matchKey = ({ labels }: Finding) => JSON.stringify(equalLabels.map((name) => labels[name] ?? ''));
  const hasSourceLabels = ({ labels }: Finding) =>
    Object.entries(sourceLabels).every(([name, value]) => labels[name] === value);
  const known = new Set([...found.values()].filter(hasSourceLabels).map(matchKey));
  return (finding) => known.has(matchKey(finding));
};

/** Compares two values of the same subject as the aggregation in the rule does. */
const isWorse = ({ worst }: Alert, { value }: Finding, than: Finding): boolean =>
  worst === 'lowest' ? value < than.value : value > than.value;
