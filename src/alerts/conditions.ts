// The conditions of one account's alerts as they were last looked at, and which of what they found is explained by others.

import type { CommonOptions } from '../collectors/collector.ts';
import type { AccountSettings, CollectorName } from '../collectors/context.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { turnEvery } from '../lib/turns.ts';
import { StoreError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import type { AccountAlert, AccountState, Alert, Evaluation, Explanation, Finding } from './alert.ts';
import { type AlertChanges, type ConfiguredAlert, configured } from './settings.ts';
import { keyOf } from './state.ts';

/** An account as its alerts see it. */
export interface AlertedAccount {
  readonly context: AccountSettings;
  /** Of all accounts, and its own. */
  readonly changes: readonly AlertChanges[];
  /** Undefined where the collector is off. */
  optionsOf(collector: CollectorName): CommonOptions | undefined;
  state(): AccountState;
}

export interface Surroundings {
  readonly alerts: readonly Alert[];
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** One that is on. */
interface Explainer extends Required<Omit<Explanation, 'alert'>> {
  readonly alert: AccountAlert;
}

/** By the key of their labels. */
export type Findings = ReadonlyMap<string, Finding>;

/** The event loop is free between so many findings. */
const AT_ONCE = 1_000;

export class Conditions {
  readonly #account: AlertedAccount;
  readonly #surroundings: Surroundings;
  /** By the alert's name; without what explains it. */
  readonly #found = new Map<string, Findings>();
  /** Alerts that could not be looked at, so that the log is told once. */
  readonly #failed = new Set<string>();

  constructor(account: AlertedAccount, surroundings: Surroundings) {
    this.#account = account;
    this.#surroundings = surroundings;
  }

  /** Those that are on, and whose collector is. */
  get alerts(): readonly AccountAlert[] {
    return this.#surroundings.alerts
      .filter((alert) => alert.scope === 'account')
      .filter((alert) => this.isOn(alert));
  }

  isOn(alert: AccountAlert): boolean {
    const isPolled =
      alert.when === 'runs' || alert.when === 'time' || this.#account.optionsOf(alert.when) !== undefined;
    return isPolled && this.configured(alert).isEnabled;
  }

  configured(alert: AccountAlert): ConfiguredAlert {
    return configured(alert, ...this.#account.changes);
  }

  /** Reads the condition anew, and tells whether it is about other subjects than before; one that cannot be told stays as it was. */
  async look(alert: AccountAlert): Promise<boolean> {
    try {
      const before = this.#found.get(alert.name);
      const { found, isAnyNew } = await this.#find(alert, before);
      this.#found.set(alert.name, found);
      this.#failed.delete(alert.name);
      return isAnyNew || before?.size !== found.size;
    } catch (error) {
      // Others are none the worse, and what is not known starts nothing and ends nothing.
      if (!this.#failed.has(alert.name)) this.#tell(alert, error);
      this.#failed.add(alert.name);
      return false;
    }
  }

  /** Of what was last found, all that is not explained; undefined where one of the two could never be looked at. */
  async unexplained(alert: AccountAlert): Promise<Findings | undefined> {
    const found = this.#found.get(alert.name);
    const explanations = await Promise.all(this.#explainersOf(alert).map((each) => this.#explanation(each)));
    if (!found || explanations.includes(undefined)) return undefined;
    if (explanations.length === 0) return found;
    const [left, yieldTurn] = [new Map<string, Finding>(), turnEvery(AT_ONCE)];
    for (const [key, finding] of found) {
      if (!explanations.some((isExplained) => isExplained?.(finding))) left.set(key, finding);
      await yieldTurn();
    }
    return left;
  }

  /** Whether the condition of `other` takes anything away from what the alert finds. */
  isExplainedBy(alert: AccountAlert, other: AccountAlert): boolean {
    return this.#explainersOf(alert).some((explainer) => explainer.alert === other);
  }

  #explainersOf({ explainedBy = [] }: AccountAlert): Explainer[] {
    return explainedBy.flatMap(({ alert: name, on = [], of = {} }) => {
      const alert = this.alerts.find((candidate) => candidate.name === name);
      return alert ? [{ alert, on, of }] : [];
    });
  }

  async #explanation({ alert, on, of }: Explainer): Promise<((finding: Finding) => boolean) | undefined> {
    if (!this.#found.has(alert.name)) await this.look(alert);
    const found = this.#found.get(alert.name);
    if (!found) return undefined;
    const matched = ({ labels }: Finding) => JSON.stringify(on.map((name) => labels[name] ?? ''));
    const isMeant = ({ labels }: Finding) =>
      Object.entries(of).every(([name, value]) => labels[name] === value);
    const known = new Set([...found.values()].filter(isMeant).map(matched));
    return (finding) => known.has(matched(finding));
  }

  async #find(
    alert: AccountAlert,
    known: Findings | undefined,
  ): Promise<{ readonly found: Findings; readonly isAnyNew: boolean }> {
    const [found, yieldTurn] = [new Map<string, Finding>(), turnEvery(AT_ONCE)];
    let isAnyNew = false;
    for await (const finding of alert.find(this.#evaluationOf(alert))) {
      const key = keyOf(finding.labels);
      const before = found.get(key);
      if (!before || isWorse(alert, finding, before)) found.set(key, finding);
      if (!known?.has(key)) isAnyNew = true;
      await yieldTurn();
    }
    return { found, isAnyNew };
  }

  #evaluationOf(alert: AccountAlert): Evaluation {
    const { store, clock } = this.#surroundings;
    const { context, optionsOf, state } = this.#account;
    return {
      ...{ account: context, store, clock, state: state(), threshold: this.configured(alert).threshold },
      // A collector's name leads to the options that its own schema made.
      options: <O extends CommonOptions>({ name }: { readonly name: CollectorName }) =>
        optionsOf(name) as O | undefined,
    };
  }

  #tell({ name }: AccountAlert, error: unknown): void {
    const { log } = this.#surroundings;
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof StoreError || !(error instanceof Error) ? {} : { stack: error.stack };
    log.error(
      { account: this.#account.context.name, alert: name, message, ...stack },
      'an alert could not be evaluated; it stays as it was',
    );
  }
}

/** The worst of several values, as in the rule. */
const isWorse = ({ worst }: Alert, { value }: Finding, than: Finding): boolean =>
  worst === 'lowest' ? value < than.value : value > than.value;
