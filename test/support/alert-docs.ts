// docs/alerts.md, made of the table of alerts.

import type { Alert } from '../../src/alerts/alert.ts';
import { ruleExpression } from '../../src/alerts/promql.ts';
import { formatDuration } from '../../src/config/duration.ts';

export const alertDocs = (alerts: readonly Alert[]): string =>
  [INTRODUCTION, tableOf(alerts), ...alerts.map((alert) => paragraphOf(alert, alerts))].join('\n');

const INTRODUCTION = `# Alerts

Every alert is there twice: as a rule for Prometheus (\`prometheus/rules/proxywatch.yml\`, printed by \`proxywatch rules\`), and evaluated by the daemon itself where a [receiver](notifications.md) is configured. Both have the same names, conditions, holds and labels. Thresholds are settings (\`alerts.<name>.threshold\`, for all accounts or for one), which the rules read as \`proxywatch_alert_threshold\`; so are \`severity\`, \`for\` and \`enabled\` for the daemon's own evaluation. An alert that is turned off has no threshold and fires in neither.

Data that is not polled any more starts no alert and ends none: \`DataStale\`, \`CollectorFailing\` and \`ProviderKeysRejected\` tell of that. What a higher fault explains is not said again.
`;

const tableOf = (alerts: readonly Alert[]): string =>
  [
    '| alert | severity | holds for | threshold | labels |',
    '|---|---|---|---|---|',
    ...alerts.map(({ name, severity, holdMs, threshold, scope, labels }) => {
      const all = [...(scope === 'account' ? ['account'] : []), ...labels].map((label) => `\`${label}\``);
      const cells = [`[\`${name}\`](#${name.toLowerCase()})`, severity, formatDuration(holdMs)];
      return `| ${[...cells, thresholdText(threshold), all.join(', ')].join(' | ')} |`;
    }),
    '',
  ].join('\n');

const thresholdText = (threshold: Alert['threshold']): string => {
  if (!threshold) return '';
  const { value, unit, meaning } = threshold;
  const figure =
    { ratio: `${value * 100} %`, seconds: formatDuration(value * 1_000) }[unit as string] ?? value;
  return `${figure} (${meaning})`;
};

const paragraphOf = (alert: Alert, alerts: readonly Alert[]): string => {
  const { name, meaning, action, explainedBy = [] } = alert;
  const higher = explainedBy.map(({ alert }) => `[\`${alert}\`](#${alert.toLowerCase()})`);
  return [
    `## ${name}`,
    `${meaning}`,
    `**What to do.** ${action}`,
    ...(higher.length > 0 ? [`Not said while it is explained by ${higher.join(', ')}.`] : []),
    `\`\`\`promql\n${ruleExpression(alert, alerts)}\n\`\`\`\n`,
  ].join('\n\n');
};
