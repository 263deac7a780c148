// Generates docs/alerts.md from the table of alerts.

import { type Alert, SEVERITIES, type Suppression } from '../../src/alerts/alert.ts';
import { checksOf } from '../../src/alerts/annotations.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';

export const alertDocs = (alerts: readonly Alert[]): string =>
  [INTRODUCTION, scopesOf(alerts), tableOf(alerts), ...alerts.map((alert) => sectionOf(alert, alerts))].join(
    '\n',
  );

const INTRODUCTION = `# Alerts

An alert reports a problem of an account or of proxywatch itself. Two programs can evaluate the alerts:

- **Prometheus** evaluates the rules in \`prometheus/rules/proxywatch.yml\`, which \`proxywatch rules\` prints. They have the PromQL of each alert. The [mixin](../prometheus/mixin/README.md) contains the same rules for jsonnet.
- **The daemon** evaluates the alerts itself if you configure a [receiver](how-to/get-paged.md#add-a-receiver), such as an Alertmanager, Slack or Discord.

In both, the alerts have the same names, conditions, labels and texts. Only the label [\`instance\`](#two-daemons) differs.

Two rules apply to all alerts:

- **Stale data.** If proxywatch cannot poll data, the alerts about this data do not change. \`DataStale\`, \`CollectorFailing\`, \`ProviderUnreachable\` or \`ProviderKeysRejected\` then fires.
- **Suppressed alerts.** A broader alert of an account suppresses narrower alerts with the same cause. Each narrower alert names them.

## Change an alert

Write the [settings of an alert](reference/configuration.md#alerts) under the top-level \`alerts\` for all accounts, or under \`alerts\` of one account. Only the top level changes alerts about the daemon itself. \`ProxywatchDown\` exists only in Prometheus and has no settings.

\`\`\`yaml
alerts:
  ProxyUserQuotaLow: {threshold: 0.2, severity: warning}
  DataStale: {for: 30m}
  SeriesDropped: {enabled: false}
\`\`\`

| setting | effect on the rules for Prometheus |
|---|---|
| \`threshold\` | They read it from \`proxywatch_alert_threshold\`. |
| \`steps\` | They compare with the first step only. |
| \`enabled: false\` | The rule does not fire, because \`proxywatch_alert_threshold\` has no series of the alert. |
| \`for\` | None. Change \`for\` in the rule. |
| \`severity\` | None. Change the label in the rule, or [in the mixin](../prometheus/mixin/README.md#options). |

## Annotations

Prometheus and the daemon send the same annotations. [These settings](how-to/get-paged.md#link-the-messages-to-your-pages) are the addresses of the links. Without \`server.external_url\`, the rules for Prometheus have no \`status_page_url\`.

| annotation | text |
|---|---|
| \`summary\` | one line with the account, and the subject and its value |
| \`description\` | the meaning of the alert, the consequence if you do nothing, and the first two steps |
| \`runbook_url\` | the address of the alert's section on this page |
| \`status_page_url\` | the address of the page or part that the first step names |
| \`dashboard_url\` | the address of a dashboard |

## Two daemons

One Prometheus can scrape several daemons.

- **Alerts about an account** do not name the daemon. If two daemons have accounts of the same name, Prometheus combines their alerts about the same subject into one, with the worse of the two values. Therefore give different accounts different names.
- **Alerts about the daemon itself** have the label \`instance\` only in Prometheus, so if Prometheus and the daemon send such an alert to the same Alertmanager, it shows the alert twice. [Get paged](how-to/get-paged.md#if-you-get-alerts-twice) shows how to prevent this.

## All alerts

Each section says what the alert means, what to do, and when it fires. The first step names a page or part of the [status page](reference/status-page.md#views), which the link of the alert opens. Most commands also need \`--config\` with your configuration. The last line of \`proxywatch probe\` says why a proxy fails, and what to do next.

**Fires after 10 minutes** means that \`for\` is 10 minutes. Without a time, the alert fires at once. **Resolved after 10 minutes without it** means that the alert fires until its condition has been false for this time. The bold value in a condition is the default \`threshold\`. An alert without one has no threshold.

**Several rounds** are as many rounds in a row as \`proxy_tests.fault_after\` or \`probes.fault_after\` says. If the provider's tests and the probes find the same fault, proxywatch reports it once.
`;

const scopesOf = (alerts: readonly Alert[]): string => {
  const own = alerts.filter(({ scope }) => scope !== 'account').map(({ name }) => `\`${name}\``);
  return `Alerts about an account have the label \`account\`. In Prometheus, alerts about the daemon itself have \`instance\` instead: ${LIST.format(own)}. Each section names further labels.\n`;
};

const tableOf = (alerts: readonly Alert[]): string =>
  [
    '| severity | alerts |',
    '|---|---|',
    ...SEVERITIES.map((severity) => {
      const own = alerts.filter((alert) => alert.severity === severity);
      return `| ${severity} | ${own.map(({ name }) => linkTo(name)).join(', ')} |`;
    }),
    '',
  ].join('\n');

const linkTo = (name: string): string => `[\`${name}\`](#${name.toLowerCase()})`;

/** Says the labels besides the one that all alerts of the scope have. */
const labelsText = ({ labels }: Alert): string[] =>
  labels.length === 0 ? [] : [`Labels: ${labels.map((label) => `\`${label}\``).join(', ')}.`];

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

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const;

/** Writes out the duration in the largest unit that fits, such as `15 minutes`. */
const durationText = (ms: number): string => {
  const [unitMs, unit] = UNITS.find(([unitMs]) => ms % unitMs === 0) ?? [1, 'millisecond'];
  return `${ms / unitMs} ${unit}${ms === unitMs ? '' : 's'}`;
};

const LIST = new Intl.ListFormat('en', { style: 'long' });

/** Names suppressing alerts. Those with the same labels share them. */
const suppressorsText = (suppressions: readonly Suppression[]): string =>
  LIST.format(
    [...Map.groupBy(suppressions, labelsOf)].flatMap(([labels, alike]) => {
      const links = alike.map(({ alert }) => linkTo(alert));
      return labels === '' ? links : `${links.join(' or ')}${labels}`;
    }),
  );

const labelsOf = ({ equalLabels = [], sourceLabels = {} }: Suppression): string => {
  const labels = [
    ...(equalLabels.length > 0
      ? [`the same ${equalLabels.map((label) => `\`${label}\``).join(' and ')}`]
      : []),
    ...Object.entries(sourceLabels).map(([label, value]) => `\`${label}="${value}"\``),
  ];
  return labels.length === 0 ? '' : ` with ${labels.join(' and ')}`;
};

/** Meaning and action come first, because the reader can be in a hurry. */
const sectionOf = (alert: Alert, alerts: readonly Alert[]): string => {
  const { name, meaning, consequence, remedy, holdMs } = alert;
  const steps = [
    ...checksOf(alert).map((check) => check.replaceAll(SAID_ONCE, '')),
    ...(remedy === undefined ? [] : [remedy]),
  ];
  return [
    `## ${name}`,
    `${meaning} ${consequence}`,
    steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    `**Fires${holdMs === 0 ? '' : ` after ${durationText(holdMs)}`}:** ${conditionOf(alert, alerts)}\n`,
  ].join('\n\n');
};

/** What the introduction says once, for all checks. */
const SAID_ONCE =
  / (?:(?:of|on) the \[status page\]\([^)]*\)|--config config\.yaml|The last line says why the proxy fails, and what to do next\.)/g;

const conditionOf = (alert: Alert, alerts: readonly Alert[]): string => {
  const { name, condition, threshold, keepFiringMs, suppressedBy = [] } = alert;
  return [
    condition.replaceAll('{threshold}', threshold ? `**${thresholdText(threshold)}**` : ''),
    ...(threshold?.steps
      ? [`The default steps are ${stepsText(threshold.steps)} of the quota (\`alerts.${name}.steps\`).`]
      : []),
    ...(keepFiringMs ? [`Resolved after ${durationText(keepFiringMs)} without it.`] : []),
    ...(suppressedBy.length > 0 ? [`Suppressed by ${suppressorsText(suppressedBy)}.`] : []),
    ...suppressedBy.flatMap(({ alert }) => alerts.find(({ name }) => name === alert)?.onset?.meaning ?? []),
    ...labelsText(alert),
  ].join(' ');
};
