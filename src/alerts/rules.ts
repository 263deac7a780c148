// Renders the alerts as a rule file for Prometheus.

import { Document } from 'yaml';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { Alert } from './alert.ts';
import { ruleExpression } from './promql.ts';
import { summaryTemplate } from './summary.ts';

/** The page that has a section for each alert. */
const DOCUMENTATION = 'docs/alerts.md';

export interface RuleOptions {
  /** Scales `for` and `keep_firing_for`, for tests with a faster clock. */
  readonly holdScale?: number;
}

/** Returns the path and anchor of the alert's section in the documentation. */
export const runbookOf = (name: string): string => `${DOCUMENTATION}#${name.toLowerCase()}`;

/** Returns YAML for a file that `rule_files` names. */
export const rulesOf = (alerts: readonly Alert[], { holdScale = 1 }: RuleOptions = {}): string => {
  const rules = alerts.map((alert) => ({
    alert: alert.name,
    expr: ruleExpression(alert, alerts),
    ...(alert.holdMs > 0 && { for: durationOf(alert.holdMs * holdScale) }),
    ...(alert.keepFiringMs && { keep_firing_for: durationOf(alert.keepFiringMs * holdScale) }),
    labels: { severity: alert.severity },
    annotations: {
      summary: summaryTemplate(alert.summary, alert.unit),
      runbook_url: `${DOCUMENTATION}#${alert.name.toLowerCase()}`,
    },
  }));
  const document = new Document({ groups: [{ name: 'proxywatch', rules }] });
  document.commentBefore = ' Made of the table of alerts (docs/alerts.md); `proxywatch rules` prints it.';
  return document.toString({ lineWidth: 110 });
};

/** Formats a duration as Prometheus does. */
const durationOf = (ms: number): string =>
  ms % MINUTE === 0 ? `${ms / MINUTE}m` : ms % SECOND === 0 ? `${ms / SECOND}s` : `${Math.round(ms)}ms`;
