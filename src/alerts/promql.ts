// The PromQL of an alert's rule, made of its expression: with its threshold, its switch and what explains it.

import type { Alert } from './alert.ts';

/** The scrape's label for the daemon: several daemons may have accounts of the same name. */
const INSTANCE = 'instance';

/** The expression whose samples fire the alert, with the labels that `ruleLabels` has. */
export const ruleExpression = (alert: Alert, alerts: readonly Alert[]): string => {
  const explained = (alert.explainedBy ?? []).map(({ alert: name, on = [], of = {} }) => {
    const other = alerts.find((candidate) => candidate.name === name);
    if (!other) throw new Error(`${alert.name} is explained by ${name}, which is no alert`);
    return `unless on (${[INSTANCE, 'account', ...on].join(', ')}) (${narrowed(conditionOf(other), of)})`;
  });
  const unexplained = [`(${conditionOf(alert)})`, ...explained].join('\n');
  // Daemons are aggregated only here, because an alert of one daemon explains nothing about another.
  const worst = alert.worst === 'lowest' ? 'min' : 'max';
  return `${worst} by (${ruleLabels(alert).join(', ')}) (${unexplained})`;
};

/** Only the samples with these labels, whatever expression they come from. */
const narrowed = (condition: string, labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels).reduce(
    (all, [label, value]) =>
      `(${all}) and on (${label}) label_replace(vector(1), "${label}", "${value}", "", "")`,
    condition,
  );

/** An account's alerts have the same labels as in the daemon; the daemon's own alerts also have `instance`. */
export const ruleLabels = ({ scope, labels }: Alert): readonly string[] =>
  ({ account: ['account', ...labels], daemon: [INSTANCE, ...labels], outside: labels })[scope];

/** Without what explains it. An alert that is turned off has no threshold, and so never a sample. */
const conditionOf = (alert: Alert): string => {
  if (alert.scope === 'outside') return alert.expression('');
  const by = alert.scope === 'account' ? `${INSTANCE}, account` : INSTANCE;
  const threshold = `max by (${by}) (proxywatch_alert_threshold{alert="${alert.name}"})`;
  return alert.threshold
    ? alert.expression(`on (${by}) group_left () ${threshold}`)
    : `(${alert.expression('')}) and on (${by}) ${threshold}`;
};
