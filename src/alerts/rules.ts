// Renders the alerts as a rule file for Prometheus, with their PromQL.

import { Document, Scalar } from 'yaml';
import { MINUTE, SECOND } from '../lib/time.ts';
import { type Alert, collectorsOf } from './alert.ts';
import { descriptionOf, type LinkSettings, labelTemplates, linksOf } from './annotations.ts';
import { summaryTemplate } from './summary.ts';

export interface RuleOptions {
  /** Scales `for` and `keep_firing_for`, for tests with a faster clock. */
  readonly holdScale?: number;
  readonly links?: LinkSettings;
}

/** Returns YAML for a file that `rule_files` names. */
export const rulesOf = (
  alerts: readonly Alert[],
  { holdScale = 1, links = {} }: RuleOptions = {},
): string => {
  const rules = alerts.map((alert) => ({
    alert: alert.name,
    expr: ruleExpression(alert, alerts),
    ...(alert.holdMs > 0 && { for: durationOf(alert.holdMs * holdScale) }),
    ...(alert.keepFiringMs && { keep_firing_for: durationOf(alert.keepFiringMs * holdScale) }),
    labels: { severity: alert.severity },
    annotations: {
      summary: summaryTemplate(alert.summary, alert.unit),
      description: linesOf(descriptionOf(alert)),
      ...linksOf(alert.name, links, labelTemplates(ruleLabels(alert)), alert.section),
    },
  }));
  const document = new Document({ groups: [{ name: 'proxywatch', rules }] });
  document.commentBefore =
    ' Generated from the table of alerts (docs/alerts.md). `proxywatch export rules` prints it.';
  return document.toString({ lineWidth: 110 });
};

/** Returns a YAML text that keeps its lines as they are. */
const linesOf = (text: string): Scalar<string> => {
  const scalar = new Scalar(text);
  scalar.type = 'BLOCK_LITERAL';
  return scalar;
};

/** Formats a duration as Prometheus does. */
const durationOf = (ms: number): string =>
  ms % MINUTE === 0 ? `${ms / MINUTE}m` : ms % SECOND === 0 ? `${ms / SECOND}s` : `${Math.round(ms)}ms`;

/** The label that a scrape adds for each daemon. Several daemons can have accounts of the same name. */
const INSTANCE = 'instance';

/** Returns the expression whose samples fire the alert. They have the labels that `ruleLabels` returns. */
export const ruleExpression = (alert: Alert, alerts: readonly Alert[]): string => {
  const suppressions = (alert.suppressedBy ?? []).flatMap(
    ({ alert: name, equalLabels = [], sourceLabels = {} }) => {
      const other = alerts.find((candidate) => candidate.name === name);
      if (!other) throw new Error(`${alert.name} is explained by ${name}, which is no alert`);
      const unless = (labels: readonly string[], condition: string): string =>
        `unless on (${[INSTANCE, 'account', ...labels].join(', ')}) (${condition})`;
      const { onset } = other;
      return [
        unless(equalLabels, withLabels(conditionExpression(other), sourceLabels)),
        ...(onset ? [unless([onset.label], ifEnabled(other, onset.expression))] : []),
      ];
    },
  );
  const unsuppressed = [`(${conditionExpression(alert)})`, ...sinceStart(alert), ...suppressions].join('\n');
  // Daemons are aggregated only here, because an alert of one daemon must not suppress one of another.
  const worst = alert.worst === 'lowest' ? 'min' : 'max';
  return `${worst} by (${ruleLabels(alert).join(', ')}) (${unsuppressed})`;
};

/**
 * A daemon that was down serves old values until its first run. One scrape of them must not fire an alert for hours that the
 * daemon, which evaluates after the run, does not report. `keep_firing_for` bridges the time for an alert that fires.
 */
const sinceStart = (alert: Alert): string[] => {
  const collectors = alert.scope === 'account' ? collectorsOf(alert).join('|') : '';
  if (alert.holdMs > 0 || !alert.keepFiringMs || collectors === '') return [];
  const runs = `proxywatch_collector_runs_total{collector=~"${collectors}", result=~"ok|partial"}`;
  return [`and on (${INSTANCE}, account) (${runs} > 0)`];
};

/** Keeps only the samples with these labels. It works with any expression, not only with a selector. */
const withLabels = (condition: string, labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels).reduce(
    (all, [label, value]) =>
      `(${all}) and on (${label}) label_replace(vector(1), "${label}", "${value}", "", "")`,
    condition,
  );

/** The labels of the rule. An account's alerts have the same labels as in the daemon; alerts about the daemon add `instance`. */
export const ruleLabels = ({ scope, labels }: Alert): readonly string[] =>
  ({ account: ['account', ...labels], daemon: [INSTANCE, ...labels], outside: labels })[scope];

/** The condition without suppression. An alert that is turned off has no threshold series, so it never has a sample. */
const conditionExpression = (alert: Alert): string => {
  if (alert.scope === 'outside') return alert.expression('');
  return alert.threshold
    ? alert.expression(`on (${daemonOf(alert)}) group_left () ${thresholdOf(alert)}`)
    : ifEnabled(alert, alert.expression(''));
};

const ifEnabled = (alert: Alert, expression: string): string =>
  `(${expression}) and on (${daemonOf(alert)}) ${thresholdOf(alert)}`;

const daemonOf = ({ scope }: Alert): string => (scope === 'account' ? `${INSTANCE}, account` : INSTANCE);

const thresholdOf = (alert: Alert): string =>
  `max by (${daemonOf(alert)}) (proxywatch_alert_threshold{alert="${alert.name}"})`;
