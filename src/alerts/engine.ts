// The daemon's own evaluation of the alerts: after runs, as time passes, and when the configuration changes.

import { MINUTE } from '../lib/time.ts';
import { turnEvery } from '../lib/turns.ts';
import type { RunResult } from '../store/run-store.ts';
import type { ActiveAlerts } from './active.ts';
import type { AccountAlert, Alert, DaemonAlert, DaemonState, Finding } from './alert.ts';
import { type AlertedAccount, Conditions, type Findings, type Surroundings } from './conditions.ts';
import { Pass } from './pass.ts';
import { AlertRecord, type RecordOptions } from './record.ts';
import { type AlertChanges, configured } from './settings.ts';
import { groupOf, keyOf, laterState, nextState, type Rule } from './state.ts';

export interface EngineOptions extends Surroundings, RecordOptions {
  /** Holds are multiplied by it, as by that of the rules. */
  readonly holdScale?: number;
}

/** What the configuration makes of the alerts. */
export interface Arrangement {
  readonly accounts: readonly AlertedAccount[];
  /** Of the daemon's own alerts; undefined where none are evaluated. */
  readonly changes: AlertChanges | undefined;
  /** Names of those for which notices are kept until they are delivered. */
  readonly receivers: readonly string[];
}

/** So long receivers are told that an alert is over. */
const ENDED_KEPT_MS = 15 * MINUTE;
/** The account of the daemon's own alerts. */
const DAEMON = '';
/** The event loop is free between so many alerts. */
const AT_ONCE = 1_000;

export class AlertEngine {
  readonly #options: EngineOptions;
  readonly #record: AlertRecord;
  #conditions = new Map<string, Conditions>();
  #changes: AlertChanges | undefined;
  /** Alerts by account that were looked at since the daemon was away: of others nothing is known to have changed. */
  readonly #seen = new Map<string, Set<string>>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#record = new AlertRecord(options.store.alerts, options);
  }

  get active(): ActiveAlerts {
    return this.#record.active;
  }

  /** Takes up what the store has. Throws StoreError, as all that follows. */
  load(): Promise<void> {
    return this.#record.load();
  }

  /** By another configuration: ends what is no more to be told of, and looks anew at all that was looked at. */
  arrange({ accounts, changes, receivers }: Arrangement): Promise<void> {
    return this.#inTurn(async (pass) => {
      const { alerts } = this.#options;
      this.#changes = changes;
      this.#conditions = new Map(
        accounts.map((account) => [account.context.name, new Conditions(account, this.#options)]),
      );
      await this.#endOthers(pass);
      for (const [account, conditions] of this.#conditions) {
        const seen = this.#seenOf(account);
        for (const { name } of alerts)
          if (!conditions.alerts.some((on) => on.name === name)) seen.delete(name);
        await this.#evaluate(
          account,
          conditions.alerts.filter(({ name }) => seen.has(name)),
          pass,
        );
      }
      for (const account of this.#seen.keys()) if (!this.#conditions.has(account)) this.#seen.delete(account);
      await this.#record.take(pass, receivers);
    });
  }

  /** Looks at what a run of the collector may have changed. */
  afterRun(account: string, collector: string, result: RunResult): Promise<void> {
    return this.#inTurn(async (pass) => {
      const seen = this.#seenOf(account);
      // A run that failed after the start has brought nothing new: what is stored is as it was told before.
      const isMeant = ({ name, when }: AccountAlert) =>
        when === 'runs' || (when === collector && (result !== 'failed' || seen.has(name)));
      const alerts = this.#conditions.get(account)?.alerts ?? [];
      await this.#evaluate(account, alerts.filter(isMeant), pass);
      await this.#record.take(pass);
    });
  }

  /** Looks at what time alone may have changed: of these accounts, and of the daemon itself. */
  tick(accounts: readonly string[], state: DaemonState): Promise<void> {
    return this.#inTurn(async (pass) => {
      // First, for they may tell that the store takes nothing of the others.
      await this.#evaluateOwn(state, new Pass(pass.now));
      for (const account of accounts) {
        const alerts = this.#conditions.get(account)?.alerts ?? [];
        await this.#evaluate(
          account,
          alerts.filter(({ when }) => when === 'time'),
          pass,
        );
      }
      await this.#letPass(pass);
      await this.#record.take(pass);
      await this.#record.forgetEnded(pass.now - ENDED_KEPT_MS);
    });
  }

  /** The machine slept, or the clock was set ahead: as after a start, no hold is over by that alone. */
  wasAway(): void {
    this.#seen.clear();
  }

  async #evaluateOwn(state: DaemonState, pass: Pass): Promise<void> {
    for (const alert of this.#daemonAlerts()) {
      const { threshold } = configured(alert, this.#changes ?? {});
      const findings = [...alert.find({ ...state, threshold })];
      const found = new Map(findings.map((finding) => [keyOf(finding.labels), finding]));
      await this.#settle(DAEMON, alert, found, pass);
    }
    await this.#record.takeAnyway(pass);
  }

  /** Resolves when nothing is being evaluated. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  /** One evaluation at a time: each begins with what the one before has made of the alerts. */
  #inTurn(work: (pass: Pass) => Promise<void>): Promise<void> {
    const done = this.#turn.then(() => work(new Pass(this.#options.clock.now())));
    // Whoever asked for it hears of an error; the next turn is none the worse.
    this.#turn = done.catch(() => {});
    return done;
  }

  async #evaluate(account: string, targets: readonly AccountAlert[], pass: Pass): Promise<void> {
    const conditions = this.#conditions.get(account);
    if (!conditions) return;
    const seen = this.#seenOf(account);
    const touched = new Set(targets);
    for (const target of targets) {
      const isOther = await conditions.look(target);
      const explained = conditions.alerts.filter((alert) => conditions.isExplainedBy(alert, target));
      if (isOther) for (const alert of explained) if (seen.has(alert.name)) touched.add(alert);
    }
    for (const alert of touched) {
      seen.add(alert.name);
      const found = await conditions.unexplained(alert);
      if (found) await this.#settle(account, alert, found, pass);
    }
  }

  async #settle(account: string, alert: Alert, found: Findings, pass: Pass): Promise<void> {
    const [rule, known] = [this.#ruleOf(account, alert), this.active.of(account, alert.name)];
    const subject = { account, alert: alert.name };
    const yieldTurn = turnEvery(AT_ONCE);
    const step = (key: string, finding: Finding | undefined): Promise<void> | undefined => {
      pass.step(known.get(key), nextState(known.get(key), finding, subject, rule, pass.now));
      return yieldTurn();
    };
    for (const [key, finding] of found) await step(key, finding);
    for (const key of known.keys()) if (!found.has(key)) await step(key, undefined);
  }

  /** Holds that are over, of what was not looked at in this pass. */
  async #letPass(pass: Pass): Promise<void> {
    for (const { scope, name } of this.#options.alerts) {
      if (scope !== 'account') continue;
      for (const [account, conditions] of this.#conditions) {
        const alert = conditions.alerts.find((candidate) => candidate.name === name);
        if (!alert || !this.#seenOf(account).has(name) || pass.hasSeen(account, name)) continue;
        await this.#letPassOf(account, alert, pass);
      }
    }
  }

  async #letPassOf(account: string, alert: Alert, pass: Pass): Promise<void> {
    const [rule, yieldTurn] = [this.#ruleOf(account, alert), turnEvery(AT_ONCE)];
    for (const before of this.active.of(account, alert.name).values()) {
      if (isTimed(before)) pass.step(before, laterState(before, rule, pass.now));
      await yieldTurn();
    }
  }

  /** Ends alerts that are no longer configured. */
  async #endOthers(pass: Pass): Promise<void> {
    const on = new Set(this.#daemonAlerts().map(({ name }) => groupOf(DAEMON, name)));
    for (const [account, { alerts }] of this.#conditions)
      for (const { name } of alerts) on.add(groupOf(account, name));
    const yieldTurn = turnEvery(AT_ONCE);
    for (const alert of this.active) {
      if (!on.has(groupOf(alert.account, alert.alert))) pass.end(alert);
      await yieldTurn();
    }
  }

  #daemonAlerts(): DaemonAlert[] {
    return this.#options.alerts
      .filter((alert) => alert.scope === 'daemon')
      .filter((alert) => this.#changes && configured(alert, this.#changes).isEnabled);
  }

  #ruleOf(account: string, alert: Alert): Rule {
    const conditions = this.#conditions.get(account);
    const { holdMs, severity } =
      alert.scope === 'account' && conditions
        ? conditions.configured(alert)
        : configured(alert, this.#changes ?? {});
    const { holdScale = 1 } = this.#options;
    return { holdMs: holdMs * holdScale, keepMs: (alert.keepMs ?? 0) * holdScale, severity };
  }

  #seenOf(account: string): Set<string> {
    const seen = this.#seen.get(account) ?? new Set();
    this.#seen.set(account, seen);
    return seen;
  }
}

const isTimed = ({ firingSince, absentSince }: { firingSince: number | null; absentSince: number | null }) =>
  firingSince === null || absentSince !== null;
