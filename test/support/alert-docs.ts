// Generates docs/alerts.md from the table of alerts.

import type { Alert, Suppression } from '../../src/alerts/alert.ts';
import { checksOf, viewName } from '../../src/alerts/checks.ts';
import { ruleExpression, ruleLabels } from '../../src/alerts/promql.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';

export const alertDocs = (alerts: readonly Alert[]): string =>
  [INTRODUCTION, tableOf(alerts), ...alerts.map((alert) => sectionOf(alert, alerts))].join('\n');

const INTRODUCTION = `# Alerts

An alert reports a problem of an account or of proxywatch itself. Two programs can evaluate the alerts:

- **Prometheus** evaluates the rules in \`prometheus/rules/proxywatch.yml\`. The command \`proxywatch rules\` prints these rules. The [mixin](../prometheus/mixin/README.md) contains the same rules for jsonnet.
- **The daemon** evaluates the alerts itself if you configure a [receiver](how-to/get-paged.md#add-a-receiver), such as an Alertmanager, Slack or Discord.

In both programs, the alerts have the same names, conditions, labels and texts. Only the label [\`instance\`](#two-daemons) differs.

Two rules apply to all alerts:

- **Stale data.** If proxywatch cannot poll data, the alerts about this data do not change. The alert \`DataStale\`, \`CollectorFailing\`, \`ProviderUnreachable\` or \`ProviderKeysRejected\` then reports that proxywatch cannot poll the data.
- **Suppressed alerts.** A broader alert of an account suppresses narrower alerts with the same cause. The section of each alert names the alerts that suppress it.

## Change an alert

An alert has these settings. To change a setting for all accounts, write the setting under the top-level \`alerts\`. To change a setting for one account, write the setting under \`alerts\` of the account:

\`\`\`yaml
alerts:
  ProxyUserQuotaLow: {threshold: 0.2, severity: warning}
  DataStale: {for: 30m}
  SeriesDropped: {enabled: false}
\`\`\`

| setting | meaning | effect on the rules for Prometheus |
|---|---|---|
| \`threshold\` | the limit in the condition: a number, a ratio from 0 to 1, a duration such as \`3d\`, or a size such as \`10GB\`. Some alerts have no threshold. | The rules read the threshold from \`proxywatch_alert_threshold\`. |
| \`steps\` | only for \`ProxyUserQuotaLow\`, instead of \`threshold\`: the [steps of the quota](reference/notifications.md#steps-of-a-quota) at which receivers are notified | The rules compare with the first step only. |
| \`enabled\` | \`false\` turns the alert off | The rule does not fire, because the alert has no series of \`proxywatch_alert_threshold\`. |
| \`for\` | the time for which the condition must be true before the alert fires | The setting has no effect on the rule. Change \`for\` in the rule. |
| \`severity\` | \`critical\`, \`warning\` or \`info\` | The setting has no effect on the rule. Change the label \`severity\` in the rule, or set the severity [in the mixin](../prometheus/mixin/README.md#options). |

The alerts about the daemon itself are \`StoreFailing\`, \`ReloadFailed\` and \`NotificationsFailing\`. You can change the settings of these three alerts only under the top-level \`alerts\`. \`ProxywatchDown\` exists only in Prometheus and has no settings.

## Annotations

Prometheus and the daemon send the same annotations:

| annotation | text |
|---|---|
| \`summary\` | one line with the account, and the subject and its value |
| \`description\` | the meaning of the alert, the consequence if you do nothing, and the first two steps |
| \`runbook_url\` | the address of the alert's section on this page, if you set \`alerts.docs_url\` or the repository is known |
| \`status_page_url\` | the address of the [view](#all-alerts) with which to begin: the page of the subject, such as a proxy user, otherwise a part of the overview of the account. The address begins with [\`server.external_url\`](how-to/get-paged.md#link-the-messages-to-your-pages). Without this setting, notifications have the address at which the daemon listens, and the rules for Prometheus have no link |
| \`dashboard_url\` | the address of a dashboard, if you set \`alerts.dashboard_url\` |

\`\`\`yaml
server:
  external_url: https://proxywatch.example.com/
alerts:
  docs_url: https://docs.example.com/proxywatch
  dashboard_url: https://grafana.example.com/d/proxywatch-overview
\`\`\`

\`docs_url\` is the address of the site on which you publish this documentation. The links in \`runbook_url\` lead to the page \`alerts.html\` of this site. If your copy of this page has another name, set \`docs_url\` to the full address of the page. The full address must end with \`.html\` or \`.md\`. Without \`docs_url\`, the links lead to this page of your version in the repository. If \`package.json\` does not name the repository, there are no links.

To add the links to the rules for Prometheus, generate the rules from your configuration:

\`\`\`sh
proxywatch rules --config config.yaml > proxywatch.yml
\`\`\`

## Two daemons

One Prometheus can scrape several daemons.

- **Alerts about an account** do not name the daemon. If two daemons have accounts of the same name, Prometheus combines their alerts about the same subject into one alert. This alert has the worse of the two values. Therefore give different accounts different names.
- **Alerts about a daemon itself** (\`StoreFailing\`, \`ReloadFailed\`, \`NotificationsFailing\`) have the label \`instance\` if Prometheus evaluates the alerts. If the daemon evaluates the alerts, they do not have this label. If Prometheus and the daemon send such an alert to the same Alertmanager, the Alertmanager shows the alert twice. [If you get alerts twice](how-to/get-paged.md#if-you-get-alerts-twice) explains how to show each alert only once.

## All alerts

The column \`for\` shows the time for which the condition of an alert must be true before the alert fires. The column “opens” names the [view or the part of the status page](reference/status-page.md#views) that the link of the alert opens.
`;

const tableOf = (alerts: readonly Alert[]): string =>
  [
    '| alert | severity | `for` | default threshold | labels | opens |',
    '|---|---|---|---|---|---|',
    ...alerts.map((alert) => {
      const { name, severity, holdMs, threshold } = alert;
      const cells = [
        linkTo(name),
        severity,
        durationText(holdMs),
        threshold ? defaultText(threshold) : 'none',
      ];
      return `| ${[...cells, labelsText(alert), viewName(alert)].join(' | ')} |`;
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

const stepsText = (steps: readonly number[]): string => LIST.format(steps.map((step) => `${step * 100}%`));

const defaultText = (threshold: NonNullable<Alert['threshold']>): string =>
  [thresholdText(threshold), threshold.quantity ?? []].flat().join(' ');

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const;

/** Writes out the duration in the largest unit that fits, such as `15 minutes`. */
const durationText = (ms: number): string => {
  if (ms === 0) return 'none';
  const [unitMs, unit] = UNITS.find(([unitMs]) => ms % unitMs === 0) ?? [1, 'millisecond'];
  return `${ms / unitMs} ${unit}${ms === unitMs ? '' : 's'}`;
};

const LIST = new Intl.ListFormat('en', { style: 'long' });

const suppressorText = ({ alert, equalLabels = [], sourceLabels = {} }: Suppression): string => {
  const labels = [
    ...(equalLabels.length > 0
      ? [`the same ${equalLabels.map((label) => `\`${label}\``).join(' and ')}`]
      : []),
    ...Object.entries(sourceLabels).map(([label, value]) => `\`${label}="${value}"\``),
  ];
  return labels.length === 0 ? linkTo(alert) : `${linkTo(alert)} with ${labels.join(' and ')}`;
};

/** Meaning and action come first, because the reader can be in a hurry. The query comes last. */
const sectionOf = (alert: Alert, alerts: readonly Alert[]): string => {
  const { name, severity, meaning, consequence, remedy, threshold } = alert;
  const steps = [...checksOf(alert), ...(remedy === undefined ? [] : [remedy])];
  return [
    `## ${name}`,
    `${meaning} ${consequence}`,
    '**What to do:**',
    steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    `**When the alert fires:** ${conditionOf(alert, alerts)}`,
    [
      `- Severity: ${severity}`,
      ...(threshold ? [`- Default threshold: ${defaultText(threshold)} (\`alerts.${name}.threshold\`)`] : []),
      ...(threshold?.steps
        ? [`- Default steps: ${stepsText(threshold.steps)} of the quota (\`alerts.${name}.steps\`)`]
        : []),
      `- Labels: ${labelsText(alert)}`,
    ].join('\n'),
    `\`\`\`promql\n${ruleExpression(alert, alerts)}\n\`\`\`\n`,
  ].join('\n\n');
};

const conditionOf = (
  { condition, threshold, holdMs, keepFiringMs, suppressedBy = [] }: Alert,
  alerts: readonly Alert[],
): string => {
  const suppressors = suppressedBy.map(suppressorText);
  return [
    condition
      .replaceAll('{threshold}', threshold ? thresholdText(threshold) : '')
      .replaceAll('{for}', durationText(holdMs)),
    ...(keepFiringMs
      ? [`The alert is resolved after its condition has been false for ${durationText(keepFiringMs)}.`]
      : []),
    ...(suppressors.length > 0
      ? [`${LIST.format(suppressors)} ${suppressors.length > 1 ? 'suppress' : 'suppresses'} this alert.`]
      : []),
    ...suppressedBy.flatMap(({ alert }) => alerts.find(({ name }) => name === alert)?.onset?.meaning ?? []),
  ].join(' ');
};
