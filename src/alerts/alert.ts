// What an alert is: its words, its condition for Prometheus, and the same condition as a reading of the store.

import type { Collector, CommonOptions } from '../collectors/collector.ts';
import type { CollectorName, ReadContext } from '../collectors/context.ts';
import type { Standing } from '../provider/endpoints.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What thresholds are measured in; it decides how they are written in the configuration and how values are told. */
export type Unit = 'ratio' | 'seconds' | 'bytes' | 'count' | 'timestamp' | 'none';

export interface Threshold {
  readonly value: number;
  readonly unit: 'ratio' | 'seconds' | 'bytes' | 'count';
  /** What is compared with it, for the documentation and the configuration's schema. */
  readonly meaning: string;
}

/** A subject of which the condition holds; labels beside `account`, whose names are those of the alert. */
export interface Finding {
  readonly labels: Readonly<Record<string, string>>;
  /** As the expression's value in Prometheus; timestamps and durations in seconds. */
  readonly value: number;
}

/** What a condition has at hand. */
export interface Evaluation extends Omit<ReadContext<unknown>, 'options'> {
  /** The collector's options; undefined where it is off. */
  options<O extends CommonOptions>(collector: Collector<O>): O | undefined;
  /** The alert's own, by the account's configuration; 1 where the alert has none. */
  readonly threshold: number;
  readonly state: AccountState;
}

/** What is known of an account besides the store. */
export interface AccountState {
  readonly pace: {
    /** Requests a second: allowed at present, and configured. */
    readonly limitPerSecond: number;
    readonly configuredPerSecond: number;
  };
  /** How the provider's endpoints answered; times in ms. */
  readonly standing: Standing;
  /** By collector: subjects without series of their own because of a cap. */
  readonly seriesDropped: ReadonlyMap<string, number>;
}

/** An alert whose condition explains another one for the same account, so that it isn't said again. */
export interface Explanation {
  readonly alert: string;
  /** Labels besides that both must have alike. */
  readonly on?: readonly string[];
  /** Labels that the explaining one must have, such as the collector that all of this rests on. */
  readonly of?: Readonly<Record<string, string>>;
}

interface Words {
  /** Name, fixed by the rules that users hold on to. */
  readonly name: string;
  readonly severity: Severity;
  /** How long the condition must hold before the alert fires (ms). */
  readonly holdMs: number;
  /** How long it goes on firing after the condition has ended, so that it doesn't flap (ms). */
  readonly keepMs?: number;
  /** Labels of the subject beside `account`. */
  readonly labels: readonly string[];
  readonly threshold?: Threshold;
  /** Unit of the value that the expression has. */
  readonly unit: Unit;
  /** Which value is shown if a subject has several, as from two daemons with the same account; the highest by default. */
  readonly worst?: 'lowest';
  /**
   * PromQL that has a sample for each subject while the condition holds, without holds, and without what explains it.
   * Joins and aggregations keep `instance`, because two daemons may have accounts of the same name.
   * `threshold` is the right side of a comparison: `left / limit < ${threshold}`.
   */
  expression(threshold: string): string;
  readonly explainedBy?: readonly Explanation[];
  /** One line that says subject, figure and unit: `{label}` and `{value}` are put in, `{ label}` with its space where there is one. */
  readonly summary: string;
  /** What it means, and what to do: for the documentation. */
  readonly meaning: string;
  readonly action: string;
}

/** About an account. */
export interface AccountAlert extends Words {
  readonly scope: 'account';
  /** After whose runs the condition is looked at; `time` where it comes true by the mere passing of time. */
  readonly when: CollectorName | 'runs' | 'time';
  /** The subjects of which the condition holds: pure, of the store, the settings and the clock. */
  find(evaluation: Evaluation): AsyncIterable<Finding>;
}

/** About the daemon itself, without `account`. */
export interface DaemonAlert extends Words {
  readonly scope: 'daemon';
  find(evaluation: DaemonEvaluation): Iterable<Finding>;
}

/** For Prometheus alone: of a daemon that is down there is nobody to evaluate it. */
export interface OutsideAlert extends Words {
  readonly scope: 'outside';
}

export type Alert = AccountAlert | DaemonAlert | OutsideAlert;

/** What a condition about the daemon has at hand. */
export interface DaemonEvaluation extends DaemonState {
  /** The alert's own; 1 where the alert has none. */
  readonly threshold: number;
}

/** What is known of the daemon besides the store. */
export interface DaemonState {
  readonly now: number;
  /** Whether the newest attempt to load the configuration succeeded. */
  readonly isReloadSuccessful: boolean;
  /** Writes to the store that failed in a row. */
  readonly writeFailures: number;
  /** By receiver: since when notifications wait for it in vain (ms). */
  readonly waitingSince: ReadonlyMap<string, number>;
}
