// Generates docs/alerts.md from the table of alerts.

import type { Alert, Suppression } from '../../src/alerts/alert.ts';
import { ruleExpression, ruleLabels } from '../../src/alerts/promql.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';

export const alertDocs = (alerts: readonly Alert[]): string =>
  [INTRODUCTION, tableOf(alerts), ...alerts.map((alert) => sectionOf(alert, alerts))].join('\n');

const INTRODUCTION = `# Alerts

An alert reports a problem of an account or of proxywatch itself. You can get the same alerts in two ways:

- **Prometheus** evaluates the rules in \`prometheus/rules/proxywatch.yml\`. \`proxywatch rules\` prints them.
- **The daemon** evaluates the alerts itself if you configure a [receiver](reference/notifications.md), such as an Alertmanager, Slack or Discord.

Both ways have the same names, conditions, labels and texts. The only difference is the label [\`instance\`](#two-daemons).

- **Stale data.** Data that is no longer polled starts no alert and ends none. \`DataStale\`, \`CollectorFailing\`, \`ProviderUnreachable\` and \`ProviderKeysRejected\` report that.
- **Suppressed alerts.** An alert is not shown while a broader alert of the same account explains it. Each alert below says which alerts suppress it.

## Change an alert

Every alert has four settings below its name. Write them under \`alerts\` for all accounts, or under \`alerts\` of one account:

\`\`\`yaml
alerts:
  ProxyUserQuotaLow: {threshold: 0.2, severity: warning}
  DataStale: {for: 30m}
  SeriesDropped: {enabled: false}
\`\`\`

| setting | meaning | also in the rules for Prometheus |
|---|---|---|
| \`threshold\` | what the condition compares with, for alerts that have one: a number, a ratio from 0 to 1, a duration such as \`3d\`, or a size such as \`10GB\` | yes, as \`proxywatch_alert_threshold\` |
| \`enabled\` | \`false\` turns the alert off | yes: an alert that is off has no threshold, so it does not fire |
| \`for\` | how long the condition must hold before the alert fires | no, change it in the rule |
| \`severity\` | \`critical\`, \`warning\` or \`info\` | no, change it in the rule |

An account cannot change the alerts about the daemon itself: \`StoreFailing\`, \`ReloadFailed\` and \`NotificationsFailing\`. \`ProxywatchDown\` exists only in Prometheus and has no settings.

## Annotations

Both ways send the same annotations:

| annotation | text |
|---|---|
| \`summary\` | one line that names the account and the subject with its value |
| \`description\` | what the alert means, what happens if nothing is done, and the first two things to check |
| \`runbook_url\` | the address of the alert's section on this page; only with \`alerts.docs_url\` |
| \`status_page_url\` | the address of the status page; only with \`server.external_url\` |
| \`dashboard_url\` | the address of a dashboard; only with \`alerts.dashboard_url\` |

\`\`\`yaml
server:
  external_url: https://proxywatch.example.com/
alerts:
  docs_url: https://docs.example.com/proxywatch
  dashboard_url: https://grafana.example.com/d/proxywatch-overview
\`\`\`

\`docs_url\` is the address of this documentation as a site. The link then leads to \`alerts.html\` below it. If your copy of this page has another address, write that address, ending with \`.html\` or \`.md\`.

To get the links into the rules for Prometheus, let proxywatch write the rules with your configuration:

\`\`\`sh
proxywatch rules --config config.yaml > proxywatch.yml
\`\`\`

## Two daemons

One Prometheus may scrape several daemons.

- **Alerts about an account** do not say which daemon they come from. If two daemons have an account of the same name, each subject has one alert, with the worse value of the two. So give different accounts different names.
- **Alerts about a daemon itself** (\`StoreFailing\`, \`ReloadFailed\`, \`NotificationsFailing\`) have the label \`instance\` in Prometheus, and not in the daemon's own evaluation. An Alertmanager that gets both shows them twice: [what to do](reference/notifications.md#prometheus-and-receivers).

## All alerts
`;

const tableOf = (alerts: readonly Alert[]): string =>
  [
    '| alert | severity | holds for | threshold | labels |',
    '|---|---|---|---|---|',
    ...alerts.map((alert) => {
      const { name, severity, holdMs, threshold } = alert;
      const cells = [linkTo(name), severity, durationText(holdMs), threshold ? thresholdText(threshold) : ''];
      return `| ${[...cells, labelsText(alert)].join(' | ')} |`;
    }),
    '',
  ].join('\n');

const linkTo = (name: string): string => `[\`${name}\`](#${name.toLowerCase()})`;

const labelsText = (alert: Alert): string =>
  ruleLabels(alert)
    .map((label) => `\`${label}\``)
    .join(', ');

const thresholdText = ({ value, unit }: NonNullable<Alert['threshold']>): string => {
  switch (unit) {
    case 'ratio':
      return `${value * 100}%`;
    case 'seconds':
      return durationText(value * SECOND);
    case 'bytes':
      return `${value} bytes`;
    case 'count':
      return String(value);
  }
};

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const;

/** Writes out the duration in the largest unit that fits, such as `15 minutes`. */
const durationText = (ms: number): string => {
  if (ms === 0) return '–';
  const [unitMs, unit] = UNITS.find(([unitMs]) => ms % unitMs === 0) ?? [1, 'millisecond'];
  return `${ms / unitMs} ${unit}${ms === unitMs ? '' : 's'}`;
};

const LIST = new Intl.ListFormat('en', { style: 'long' });

const suppressorText = ({ alert, equalLabels = [], sourceLabels = {} }: Suppression): string => {
  const labels = [
    ...equalLabels.map((label) => `the same \`${label}\``),
    ...Object.entries(sourceLabels).map(([label, value]) => `\`${label}="${value}"\``),
  ];
  return labels.length === 0 ? linkTo(alert) : `${linkTo(alert)} with ${labels.join(' and ')}`;
};

/** Meaning and action come first, because the reader may be in a hurry; the query comes last. */
const sectionOf = (alert: Alert, alerts: readonly Alert[]): string => {
  const { name, severity, meaning, consequence, checks, remedy, threshold } = alert;
  const steps = [...checks, ...(remedy === undefined ? [] : [remedy])];
  return [
    `## ${name}`,
    `${meaning} ${consequence}`,
    '**What to do:**',
    steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    `**When it fires:** ${conditionOf(alert)}`,
    [
      `- Severity: ${severity}`,
      ...(threshold ? [`- Threshold: ${thresholdText(threshold)} (\`alerts.${name}.threshold\`)`] : []),
      `- Labels: ${labelsText(alert)}`,
    ].join('\n'),
    `\`\`\`promql\n${ruleExpression(alert, alerts)}\n\`\`\`\n`,
  ].join('\n\n');
};

const conditionOf = ({ condition, threshold, holdMs, keepFiringMs, suppressedBy = [] }: Alert): string => {
  const suppressors = suppressedBy.map(suppressorText);
  return [
    condition.replaceAll('{threshold}', threshold ? thresholdText(threshold) : ''),
    ...(holdMs > 0 ? [`The condition must hold for ${durationText(holdMs)}.`] : []),
    ...(keepFiringMs ? [`The alert ends ${durationText(keepFiringMs)} after its condition.`] : []),
    ...(suppressors.length > 0 ? [`The alert is suppressed by ${LIST.format(suppressors)}.`] : []),
  ].join(' ');
};
