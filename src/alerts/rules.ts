// The table of alerts as a file of rules for Prometheus.

import { Document } from 'yaml';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { Alert } from './alert.ts';
import { ruleExpression } from './promql.ts';
import { prometheusText } from './words.ts';

/** Where the paragraphs of the alerts are, unless told otherwise. */
const DOCUMENTATION = 'docs/alerts.md';

export interface RuleOptions {
  /** Holds are multiplied by it. */
  readonly holdScale?: number;
}

/** Where the documentation has the alert. */
export const runbookOf = (name: string): string => `${DOCUMENTATION}#${name.toLowerCase()}`;

/** YAML, ready for `rule_files`. */
export const rulesOf = (alerts: readonly Alert[], { holdScale = 1 }: RuleOptions = {}): string => {
  const rules = alerts.map((alert) => ({
    alert: alert.name,
    expr: ruleExpression(alert, alerts),
    ...(alert.holdMs > 0 && { for: durationOf(alert.holdMs * holdScale) }),
    ...(alert.keepMs && { keep_firing_for: durationOf(alert.keepMs * holdScale) }),
    labels: { severity: alert.severity },
    annotations: {
      summary: prometheusText(alert.summary, alert.unit),
      runbook_url: `${DOCUMENTATION}#${alert.name.toLowerCase()}`,
    },
  }));
  const document = new Document({ groups: [{ name: 'proxywatch', rules }] });
  document.commentBefore = ' Made of the table of alerts (docs/alerts.md); `proxywatch rules` prints it.';
  return document.toString({ lineWidth: 110 });
};

/** As Prometheus writes durations. */
const durationOf = (ms: number): string =>
  ms % MINUTE === 0 ? `${ms / MINUTE}m` : ms % SECOND === 0 ? `${ms / SECOND}s` : `${Math.round(ms)}ms`;
