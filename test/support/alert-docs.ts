// Generates docs/alerts.md from the table of alerts.

import type { Alert } from '../../src/alerts/alert.ts';
import { ruleExpression, ruleLabels } from '../../src/alerts/promql.ts';
import { formatDuration } from '../../src/config/duration.ts';

export const alertDocs = (alerts: readonly Alert[]): string =>
  [INTRODUCTION, tableOf(alerts), ...alerts.map((alert) => paragraphOf(alert, alerts))].join('\n');

const INTRODUCTION = `# Alerts

Every alert is there twice: as a rule for Prometheus (\`prometheus/rules/proxywatch.yml\`, printed by \`proxywatch rules\`), and evaluated by the daemon itself where a [receiver](notifications.md) is configured. Both have the same names, conditions, holds and labels, but for [\`instance\`](#two-daemons). Thresholds are settings (\`alerts.<name>.threshold\`, for all accounts or for one), which the rules read as \`proxywatch_alert_threshold\`; so are \`severity\`, \`for\` and \`enabled\` for the daemon's own evaluation. An alert that is turned off has no threshold and fires in neither.

Data that is not polled any more starts no alert and ends none: \`DataStale\`, \`CollectorFailing\` and \`ProviderKeysRejected\` tell of that. What a higher fault explains is not said again.

## Two daemons

One Prometheus may scrape several daemons.

- **Alerts about an account** do not say which daemon they come from. If two daemons have an account of the same name, each subject has one alert, with the worst value of the two. So give different accounts different names.
- **Alerts about a daemon itself** (\`StoreFailing\`, \`ReloadFailed\`, \`NotificationsFailing\`) have the label \`instance\` in Prometheus, and not in the daemon's own evaluation. An Alertmanager that gets both shows them twice: [what to do](notifications.md#prometheus-and-receivers).

## All alerts
`;

const tableOf = (alerts: readonly Alert[]): string =>
  [
    '| alert | severity | holds for | threshold | labels |',
    '|---|---|---|---|---|',
    ...alerts.map((alert) => {
      const { name, severity, holdMs, threshold } = alert;
      const all = ruleLabels(alert).map((label) => `\`${label}\``);
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
  const { name, meaning, action, suppressedBy: suppressors = [] } = alert;
  const suppressorLinks = suppressors.map(({ alert }) => `[\`${alert}\`](#${alert.toLowerCase()})`);
  return [
    `## ${name}`,
    `${meaning}`,
    `**What to do.** ${action}`,
    ...(suppressorLinks.length > 0
      ? [`Not said while it is explained by ${suppressorLinks.join(', ')}.`]
      : []),
    `\`\`\`promql\n${ruleExpression(alert, alerts)}\n\`\`\`\n`,
  ].join('\n\n');
};
