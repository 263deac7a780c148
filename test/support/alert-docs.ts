// Generates the sections of docs/alerts.md about each alert from the table of alerts.

import { type Alert, SEVERITIES, type Suppression } from '../../src/alerts/alert.ts';
import { checksOf } from '../../src/alerts/annotations.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';

/** The rest of the page follows this heading. What stands before it is written by hand. */
const HEADING = '## All alerts';

/** Returns the page with its generated part written again. */
export const alertDocs = (page: string, alerts: readonly Alert[]): string =>
  [
    page.slice(0, page.indexOf(HEADING)) + INTRODUCTION,
    scopesOf(alerts),
    tableOf(alerts),
    ...alerts.map((alert) => sectionOf(alert, alerts)),
  ].join('\n');

const INTRODUCTION = `${HEADING}

Each section says what the alert means, what to do, and when it fires. The message says besides what happens if you do nothing. The first step names a page or part of the [status page](reference/api.md#the-status-page), which the link of the alert opens. The last line of \`proxywatch probe\` says why a proxy fails, and what to do next. Most commands also need \`--config\`. [Commands](reference/commands.md) says what each one checks.

- **Fires after 10 minutes** means that \`for\` is 10 minutes. Without a time, the alert fires at once.
- **Resolved after 10 minutes without it** means that it fires until its condition has been false for this time.
- **The bold value** is the default \`threshold\`. An alert without one has no threshold.
- **Several rounds** are as many in a row as \`proxy_tests.fault_after\` or \`probes.fault_after\` says. A fault that both the provider's tests and the probes find is reported once.
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

/** Alerts whose condition contains all of their meaning, which messages and the status page also have. */
const SAID_BY_CONDITION: ReadonlySet<string> = new Set([
  ...['ProviderKeysRejected', 'ProviderEndpointForbidden', 'CollectorFailing', 'DataStale', 'ProxyFailing'],
  ...[
    'ProxyTargetBlocked',
    'ProxyTesterFailing',
    'ProviderOutage',
    'ProxyTestsInconclusive',
    'ProxyTestsStale',
  ],
  ...['TestBudgetExhausted', 'ProbesInconclusive', 'ExitAddressWrong', 'ResidentialBalanceExhausted'],
  ...['ResidentialBalanceLow', 'ProxyUserQuotaExhausted', 'ProxyUserQuotaLow', 'ReconciliationDiffers'],
  ...['ServiceExpiringSoon', 'ServicePaused', 'ServicePendingCancellation', 'ServiceNotActive'],
  'CreditBelowRenewals',
  ...['ServiceProxiesMissing', 'ProductOutOfStock', 'QuoteInvalid', 'StoreFailing', 'ReloadFailed'],
  ...['NotificationsFailing', 'ProxywatchDown'],
]);

/** Alerts that are about mobile bytes what the other is about residential ones. */
const TWINS: Readonly<Record<string, string>> = {
  MobileBalanceExhausted: 'ResidentialBalanceExhausted',
  MobileBalanceLow: 'ResidentialBalanceLow',
  MobileBalanceExhaustionSoon: 'ResidentialBalanceExhaustionSoon',
};

/** Meaning and action come first, because the reader can be in a hurry. */
const sectionOf = (alert: Alert, alerts: readonly Alert[]): string => {
  const { name, meaning, remedy, holdMs } = alert;
  const after = holdMs === 0 ? '' : ` after ${durationText(holdMs)}`;
  const twin = TWINS[name];
  if (twin !== undefined)
    return `## ${name}\n\n**Fires${after}:** As ${linkTo(twin)}, with the mobile ledger, and \`invoice\` instead of \`reconcile\`.\n`;
  const steps = [
    ...checksOf(alert).map((check) => check.replaceAll(SAID_ONCE, '')),
    ...(remedy === undefined ? [] : [remedy]),
  ]
    .map((step, index) => `${index + 1}. ${step}`)
    .join('\n');
  const fires = `**Fires${after}:** ${conditionOf(alert, alerts)}`;
  const parts = SAID_BY_CONDITION.has(name) ? [fires, steps] : [meaning, steps, fires];
  return `${[`## ${name}`, ...parts].join('\n\n')}\n`;
};

/** What the introduction says once for all checks, and what the page of commands says about a command. */
const SAID_ONCE =
  / (?:(?:of|on) the \[status page\]\([^)]*\)|--config config\.yaml|The last line says why the proxy fails, and what to do next\.|The command (?:shows|checks|prints|estimates|sends|tries) .*?\.(?= |$))/g;

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
