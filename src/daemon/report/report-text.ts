// Formats a report as plain text, for emails and the command, and its most important lines, for chats.

import type { ReportContent } from '../../alerts/notification.ts';
import type { Report } from '../../http/api/report/report-json.ts';
import { bytes, count, dateRanges, duration, percent, utc } from '../../page/format.ts';
import { AMOUNTS } from '../../page/views/report.ts';

export const reportTitle = ({ account, period, first_day, last_day }: Report): string =>
  printable(`Report of the ${period} from ${first_day} to ${last_day}, account ${account}`);

/** Returns the whole report. It ends with a line break. */
export const reportText = (report: Report): string =>
  [
    `${reportTitle(report)}\n`,
    `Days of ${report.time_zone}. 1 GB is 1,000,000,000 bytes.${report.is_over ? '' : ` The ${report.period} is not over.`}\n`,
    ...sectionsOf(report).flatMap(([title, lines]) =>
      lines.length === 0 ? [] : [`\n${title}\n`, ...lines.map((line) => `  ${printable(line)}\n`)],
    ),
  ].join('');

/** Returns the lines without lists, and how much is unknown. */
export const shortReport = (report: Report): string[] =>
  [
    // A chat that is too short leaves out the last lines.
    ...(report.unknown.length > 0 ? [`Not known: ${countOf(report.unknown.length, 'part')}`] : []),
    ...amountLines(report),
    ...runwayLines(report),
    alertSum(report),
    ...report.uptime.map(uptimeLine),
    ...changeLines(report),
  ].map(printable);

export const reportContent = (report: Report): ReportContent => ({
  groupKey: JSON.stringify({ account: report.account, report: report.period }),
  report: {
    ...{ title: reportTitle(report), lines: shortReport(report) },
    ...{ text: reportText(report), data: report },
  },
});

/** Ids and names come from the provider, and could control a terminal. */
const printable = (line: string): string => line.replaceAll(/\p{C}/gu, ' ');

const sectionsOf = (report: Report): [title: string, lines: string[]][] => [
  ['Bytes', amountLines(report)],
  ['Users with the most bytes', report.users.map(userLine)],
  ['Services with the most bytes in the ledger', report.ledger_services.map(ledgerServiceLine)],
  [`What is left, at ${time(report.made_at)}`, [...runwayLines(report), ...nextQuotas(report)]],
  ['Alerts', alertLines(report)],
  ['Alerts that fired the longest', report.longest_alerts.map(longestLine)],
  ['Uptime: share of the results of all proxies that are successful', report.uptime.flatMap(uptimeLines)],
  ['Changes', [...changeLines(report), ...serviceLines(report)]],
  ['Not known', report.unknown.map(unknownLine)],
];

const countOf = (amount: number, noun: string): string =>
  `${count(amount)} ${noun}${amount === 1 ? '' : 's'}`;

const time = (at: string): string => utc(Date.parse(at));

const amountLines = ({ amounts, amounts_before, comparable, period }: Report): string[] =>
  AMOUNTS.map(([name, text, format]) => {
    const [amount, before] = [amounts[name], amounts_before[name]];
    const shown = (value: number | null): string => (value === null ? 'unknown' : format(value));
    const isComparable = comparable.some((part) => name.includes(part));
    const change = amount === null || !before || !isComparable ? '' : `, ${changeOf(amount / before - 1)}`;
    const comparison =
      amount === null && before === null ? '' : ` (${period} before: ${shown(before)}${change})`;
    return `${text}: ${shown(amount)}${comparison}`;
  });

const changeOf = (share: number): string => {
  const rounded = Math.round(share * 100);
  return rounded === 0 ? 'unchanged' : `${rounded > 0 ? '+' : ''}${count(rounded)}%`;
};

const userLine = ({
  proxy_user_id,
  bytes: { residential, mobile },
  share,
}: Report['users'][number]): string => {
  const used = [
    ...(residential === null ? [] : [`${bytes(residential)} residential`]),
    ...(mobile === null ? [] : [`${bytes(mobile)} mobile`]),
  ];
  return `${proxy_user_id}: ${used.join(', ')} (${percent(share)} of all users)`;
};

const ledgerServiceLine = ({ service_id, used_bytes }: Report['ledger_services'][number]): string =>
  `${service_id ?? 'whole account'}: ${bytes(used_bytes)}`;

const FORECASTS = {
  expected: '',
  not_used: 'not in use',
  used_up: 'used up',
  no_history: 'no forecast yet',
} as const;

const balanceLine = (type: string, balance: Report['balance']): string =>
  balance
    ? `${type} balance: ${bytes(balance.left_bytes)}, ${balance.exhausted_at === null ? FORECASTS[balance.forecast] : `used up on ${time(balance.exhausted_at)}`}`
    : `${type} balance: unknown`;

/** Few accounts have a mobile balance. */
const runwayLines = ({ balance, mobile_balance: mobile, quotas, unknown }: Report): string[] => [
  balanceLine('Residential', balance),
  ...(mobile || unknown.some(({ part }) => part === 'mobile') ? [balanceLine('Mobile', mobile)] : []),
  quotas
    ? `Quotas of users: ${count(quotas.exhausted)} exhausted, ${count(quotas.low)} low, ${count(quotas.soon)} used up soon, ${count(quotas.unknown)} unknown`
    : 'Quotas of users: unknown',
];

const nextQuotas = ({ quotas }: Report): string[] =>
  (quotas?.next ?? []).map(
    ({ proxy_user_id, product_type, left_bytes, exhausted_at }) =>
      `${proxy_user_id}, ${product_type}: ${bytes(left_bytes)} left, used up on ${time(exhausted_at)}`,
  );

const alertSum = ({ alerts }: Report): string => {
  if (!alerts) return 'Alerts: unknown';
  if (alerts.length === 0) return 'Alerts: none fired';
  const began = alerts.reduce((sum, each) => sum + each.began, 0);
  const firing = alerts.reduce((sum, each) => sum + each.firing, 0);
  return `Alerts: ${countOf(began, 'alert')} began to fire, ${count(firing)} fire still, the longest ${alerts[0]?.alert}`;
};

const alertLines = (report: Report): string[] => [
  alertSum(report),
  ...(report.alerts ?? []).map(
    ({ alert, began, firing, subjects, seconds }) =>
      `${alert}: began ${countOf(began, 'time')}, ${duration(seconds * 1_000)} in total, ${countOf(subjects, 'subject')}${firing > 0 ? `, ${count(firing)} fire still` : ''}`,
  ),
];

const longestLine = ({
  alert,
  labels,
  seconds,
  firing_since,
  ended_at,
}: Report['longest_alerts'][number]): string => {
  const { account: _, ...subject } = labels;
  const names = Object.entries(subject).map(([label, value]) => ` ${label} ${value}`);
  return `${alert}${names.join(',')}: ${duration(seconds * 1_000)}, ${time(firing_since)} to ${ended_at === null ? 'now' : time(ended_at)}`;
};

const SOURCES = { proxy_tests: 'Tests by the provider', probes: 'Probes from here' } as const;

const uptimeLine = ({ source, ratio, results, proxies }: Report['uptime'][number]): string => {
  if (ratio === null) return `${SOURCES[source]}: no result`;
  const { without_failures, own_failures, unexplained_failures, other_failures, unknown } = proxies;
  const kinds = [
    `${count(without_failures)} without failures`,
    `${count(own_failures)} with failures of their own`,
    ...(unexplained_failures > 0 ? [`${count(unexplained_failures)} with unexplained failures`] : []),
    ...(other_failures > 0 ? [`${count(other_failures)} with failures of others only`] : []),
    ...(unknown > 0 ? [`${count(unknown)} unknown`] : []),
  ];
  return `${SOURCES[source]}: ${percent(ratio)} of ${countOf(results, 'result')}. Proxies: ${kinds.join(', ')}`;
};

const uptimeLines = (uptime: Report['uptime'][number]): string[] => [
  uptimeLine(uptime),
  ...uptime.worst.map(
    ({ proxy_id, own_ratio, results }) =>
      `${proxy_id}: ${own_ratio === null ? 'unknown' : percent(own_ratio)} of ${countOf(results, 'result')} without a failure of its own`,
  ),
];

const CHANGES = {
  ...{ appeared: 'new proxies', gone: 'removed proxies', address: 'new addresses' },
  ...{ asn: 'new networks', city: 'new cities' },
} as const;

const changeLines = ({ inventory_changes: changes, services }: Report): string[] => [
  changes
    ? `Inventory: ${Object.entries(CHANGES)
        .map(([kind, text]) => `${count(changes[kind as keyof typeof CHANGES])} ${text}`)
        .join(', ')}`
    : 'Inventory: unknown',
  services
    ? `Services: ${count(services.begun.count)} begun, ${count(services.ended.count)} ended, ${count(services.next.count)} end within 30 days`
    : 'Services: unknown',
];

const serviceLines = ({ services }: Report): string[] =>
  services
    ? (['begun', 'ended', 'next'] as const).flatMap((kind) =>
        services[kind].first.map(
          ({ service_id, service_name, at }) =>
            `${service_id}${service_name ? ` ${service_name}` : ''}: ${SERVICE_WORDS[kind]} ${time(at)}`,
        ),
      )
    : [];

const SERVICE_WORDS = { begun: 'begun', ended: 'ended', next: 'ends' } as const;

const unknownLine = ({ part, message, dates }: Report['unknown'][number]): string =>
  `${part}: ${message}${dates.length === 0 ? '' : `: ${dateRanges(dates)}`}`;
