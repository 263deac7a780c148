// Defines the type of an alert: its texts, its condition as PromQL, and the same condition as a query of the store.

import type { Collector, CommonOptions } from '../collectors/collector.ts';
import type { CollectorName, ReadContext } from '../collectors/context.ts';
import type { Section } from '../page/address.ts';
import type { EndpointSummary } from '../provider/endpoints.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The unit of a value. It decides how a threshold is written in the configuration and how a value is printed. */
export type Unit = 'ratio' | 'seconds' | 'bytes' | 'count' | 'timestamp' | 'none';

export interface Threshold {
  readonly value: number;
  readonly unit: 'ratio' | 'seconds' | 'bytes' | 'count';
  /**
   * The default of the setting `steps`, for an alert whose value is the share that is left: shares that are used, ascending.
   * The first one leaves `value`. When the subject passes a further one below 1, receivers are notified again.
   */
  readonly steps?: readonly number[];
  /** A sentence for the configuration's schema that says when the alert fires. */
  readonly meaning: string;
}

/** Returns a threshold from the rest of the sentence that says when the alert fires. */
export const firesIf = (value: number, unit: Threshold['unit'], condition: string): Threshold => ({
  ...{ value, unit, meaning: `The alert fires if ${condition}` },
});

/** A subject for which the condition holds. Its labels are those that the alert lists, without `account`. */
export interface Finding {
  readonly labels: Readonly<Record<string, string>>;
  /** Equals the value of the PromQL expression. Timestamps and durations are in seconds. */
  readonly value: number;
  /** The reason in words and the next step, as the placeholder `{reason}`. Rules for Prometheus do not have it. */
  readonly reason?: string;
}

/**
 * Matches series in PromQL by everything but their name, also in a Prometheus that adds labels with the type and unit of the
 * family (feature `type-and-unit-labels`). Results of calculations do not have these labels, so they would not match.
 */
export const SAME_LABELS = 'ignoring (__type__, __unit__)';

/** What the condition of an account's alert can read. */
export interface EvaluationContext extends Omit<ReadContext<unknown>, 'options'> {
  /** Returns the collector's options; undefined if the collector is off. */
  options<O extends CommonOptions>(collector: Collector<O>): O | undefined;
  /** The alert's threshold in the account's configuration; 1 for an alert without a threshold. */
  readonly threshold: number;
  readonly state: AccountState;
}

/** The state of an account that is not in the store. */
export interface AccountState {
  readonly pace: {
    /** Requests per second: currently allowed, and configured. */
    readonly limitPerSecond: number;
    readonly configuredPerSecond: number;
  };
  /** How the provider's endpoints answered. Times are in ms since the epoch. */
  readonly endpointSummary: EndpointSummary;
  /** The collectors since whose first failed run the provider has answered no request of the account. */
  readonly unansweredCollectors: ReadonlySet<string>;
  /** By collector: how many subjects have no series of their own because of a cap. */
  readonly seriesDropped: ReadonlyMap<string, number>;
}

/** Names an alert whose condition suppresses another alert of the same account, because it reports the cause. */
export interface Suppression {
  readonly alert: string;
  /** Labels that must have the same values in both alerts, besides `account`; as `equal` in Alertmanager. */
  readonly equalLabels?: readonly string[];
  /** Labels that the suppressing alert must have, such as the collector that the suppressed alert depends on. */
  readonly sourceLabels?: Readonly<Record<string, string>>;
}

/** Subjects of other alerts that the cause of an alert explains from the beginning, also before that alert fires. */
export interface Onset {
  /** The label that names the subjects. */
  readonly label: string;
  /** PromQL with a sample for each of them. */
  readonly expression: string;
  subjects(state: AccountState): ReadonlySet<string>;
  /** A sentence for the documentation of the alerts that are suppressed. */
  readonly meaning: string;
}

interface AlertBase {
  /** Never changes, because users refer to it in routes, silences and overrides. */
  readonly name: string;
  readonly severity: Severity;
  /** How long the condition must hold before the alert fires (ms). */
  readonly holdMs: number;
  /** How long the alert keeps firing after the condition has ended, so that it does not flap (ms). */
  readonly keepFiringMs?: number;
  /** Labels of the subject besides `account`. */
  readonly labels: readonly string[];
  readonly threshold?: Threshold;
  readonly unit: Unit;
  /** Which value is shown if a subject has several, for example from two daemons with the same account. Default: the highest. */
  readonly worst?: 'lowest';
  /**
   * Returns PromQL with a sample for each subject while the condition holds. The PromQL contains no `for` and no suppression.
   * Joins and aggregations keep `instance`, because two daemons can have accounts of the same name.
   * `threshold` is the right side of a comparison: `left / limit < ${threshold}`.
   */
  expression(threshold: string): string;
  readonly suppressedBy?: readonly Suppression[];
  /** For an alert that fires only after a while, although what it explains can fire earlier. */
  readonly onset?: Onset;
  /**
   * One line that names the account and the subject with its value. `{label}` and `{value}` are placeholders. A part in
   * brackets that contains one, such as `[, graph {graph}]`, is left out if the label is empty. `{reason}` is that of the
   * finding.
   */
  readonly summary: string;
  /** Says what the alert means. This text and all texts below are Markdown, and their links start at docs/. */
  readonly meaning: string;
  /** Says what will happen if nobody does anything. */
  readonly consequence: string;
  /** The section of the status page that the alert links to. An alert with a subject links to its page, and has none. */
  readonly section?: Section;
  /**
   * The first two things to check, each as an instruction. The first one begins with `Open {view}`, which stands for the view
   * that the link of the alert opens. The second one is a command.
   */
  readonly checks: readonly [first: string, second: string];
  /** Says what to do after the checks. Only the documentation contains this text. */
  readonly remedy?: string;
  /**
   * Says exactly when the alert fires, with its default threshold as `{threshold}`. Only the documentation contains this
   * text, and adds `holdMs`, the suppressing alerts and when the alert is resolved.
   */
  readonly condition: string;
}

export interface AccountAlert extends AlertBase {
  readonly scope: 'account';
  /**
   * When the condition is evaluated: after the runs of this collector, after the runs of every collector (`runs`), or
   * at every tick, for a condition that can begin to hold as time passes (`time`).
   */
  readonly trigger: CollectorName | 'runs' | 'time';
  /** Other collectors whose runs can change the condition too. The alert is on if one of all these collectors is on. */
  readonly alsoAfter?: readonly CollectorName[];
  /**
   * Whether the condition is also evaluated when the daemon starts. What the runs stored still holds then, but its subject
   * may no longer be configured, and the next run can be hours away.
   */
  readonly alsoAtStart?: true;
  /** Yields the subjects for which the condition holds. It depends on nothing but the context. */
  find(evaluation: EvaluationContext): AsyncIterable<Finding>;
}

/** The collectors whose data the condition needs; empty if it needs none, or several of any kind. */
export const collectorsOf = ({
  trigger,
  alsoAfter = [],
}: Pick<AccountAlert, 'trigger' | 'alsoAfter'>): readonly CollectorName[] =>
  trigger === 'runs' || trigger === 'time' ? alsoAfter : [trigger, ...alsoAfter];

/** An alert about the daemon itself, without `account`. */
export interface DaemonAlert extends AlertBase {
  readonly scope: 'daemon';
  find(evaluation: DaemonEvaluationContext): Iterable<Finding>;
  /**
   * Whether the daemon has not been able to tell since its start that the condition does not hold for the subject with
   * these labels. An alert without a finding then keeps its state.
   */
  isUnknown?(state: DaemonState, labels: Finding['labels']): boolean;
}

/** An alert that only Prometheus can evaluate, because it fires when the daemon is down. */
export interface PrometheusOnlyAlert extends AlertBase {
  readonly scope: 'outside';
}

export type Alert = AccountAlert | DaemonAlert | PrometheusOnlyAlert;

/** Alerts that the daemon evaluates. Others are evaluated by Prometheus alone, so the daemon cannot mute them. */
export const mutableAlerts = (alerts: readonly Alert[]): string[] =>
  alerts.filter(({ scope }) => scope !== 'outside').map(({ name }) => name);

/** What the condition of an alert about the daemon can read. */
export interface DaemonEvaluationContext extends DaemonState {
  /** The alert's threshold; 1 for an alert without one. */
  readonly threshold: number;
}

/** The state of the daemon that is not in the store. */
export interface DaemonState {
  readonly now: number;
  /** Whether the newest attempt to load the configuration succeeded. */
  readonly isReloadSuccessful: boolean;
  /** How many writes to the store have failed in a row. */
  readonly writeFailures: number;
  /** By receiver that fails: since when notifications have waited for it (ms). */
  readonly waitingSince: ReadonlyMap<string, number>;
  /** By receiver of remote write that does not have everything: since when samples have waited for it (ms). */
  readonly unsentSince: ReadonlyMap<string, number>;
  /** Receivers that have accepted nothing since the start, and for which something may wait. */
  readonly unprovenReceivers: ReadonlySet<string>;
  /** The same of the receivers of remote write. */
  readonly unprovenWriters: ReadonlySet<string>;
  /** Whether a backup exists; true if none is scheduled. */
  readonly hasBackup: boolean;
  /** For how long a scheduled backup of the store has been due (ms); 0 if none is due. */
  readonly backupOverdueMs: number;
}

/** An alert as the table has it, without the fields in `Shared`, and without those that have their usual value. */
type Entry<A extends Alert, Shared = object> = Omit<
  A,
  'scope' | 'holdMs' | 'labels' | 'unit' | keyof Shared
> &
  Partial<A>;

/** By default, an alert fires at once, has no labels besides `account`, and its value has the unit of its threshold. */
const usual = (threshold: Threshold | undefined) =>
  ({ holdMs: 0, labels: [], unit: threshold?.unit ?? 'none' }) as const;

/** Returns alerts about accounts, which have the fields in `shared` unless they say otherwise. */
export const accountAlerts = <S extends Partial<AccountAlert>>(
  shared: S,
  alerts: readonly Entry<AccountAlert, S>[],
): AccountAlert[] =>
  alerts.map(
    (alert) =>
      ({ ...usual(alert.threshold), scope: 'account', ...shared, ...alert }) as unknown as AccountAlert,
  );

export const daemonAlert = (alert: Entry<DaemonAlert>): DaemonAlert => ({
  ...usual(alert.threshold),
  scope: 'daemon',
  ...alert,
});
