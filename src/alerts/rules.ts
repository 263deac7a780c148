// Renders the alerts as a rule file for Prometheus.

import { Document, Scalar } from 'yaml';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { Alert } from './alert.ts';
import { descriptionOf } from './annotations.ts';
import { type LinkSettings, labelTemplates, linksOf } from './links.ts';
import { ruleExpression, ruleLabels } from './promql.ts';
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
    ' Generated from the table of alerts (docs/alerts.md). `proxywatch rules` prints it.';
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
