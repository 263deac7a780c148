// The PromQL of an alert's rule, made of its expression: with its threshold, its switch and what explains it.

import type { Alert } from './alert.ts';

/** The expression whose samples fire the alert, with exactly the labels that the daemon gives it. */
export const ruleExpression = (alert: Alert, alerts: readonly Alert[]): string => {
  const condition = conditionOf(alert);
  const explained = (alert.explainedBy ?? []).map(({ alert: name, on = [], of = {} }) => {
    const other = alerts.find((candidate) => candidate.name === name);
    if (!other) throw new Error(`${alert.name} is explained by ${name}, which is no alert`);
    return `unless on (${['account', ...on].join(', ')}) (${narrowed(conditionOf(other), of)})`;
  });
  const labels = labelsOf(alert).join(', ');
  // Labels of the scrape, such as instance, are no part of the alert: the daemon does not know them.
  return [`max by (${labels}) (${condition})`, ...explained].join('\n');
};

/** Only the samples with these labels, whatever expression they come from. */
const narrowed = (condition: string, labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels).reduce(
    (all, [label, value]) =>
      `(${all}) and on (${label}) label_replace(vector(1), "${label}", "${value}", "", "")`,
    condition,
  );

export const labelsOf = ({ scope, labels }: Alert): readonly string[] =>
  scope === 'account' ? ['account', ...labels] : labels;

/** Without what explains it. An alert that is turned off has no threshold, and so never a sample. */
const conditionOf = (alert: Alert): string => {
  if (alert.scope === 'outside') return alert.expression('');
  const by = alert.scope === 'account' ? 'account' : '';
  const threshold = `max by (${by}) (proxywatch_alert_threshold{alert="${alert.name}"})`;
  return alert.threshold
    ? alert.expression(`on (${by}) group_left () ${threshold}`)
    : `(${alert.expression('')}) and on (${by}) ${threshold}`;
};
