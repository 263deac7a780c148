// Shows a week or month of an account beside the one before, and what is left and unknown.

import type { Report } from '../answers.ts';
import {
  type Column,
  column,
  dateAndDistance,
  emptyNote,
  factList,
  minute,
  orUnknown,
  part,
  subjectLink,
  table,
  unknownParts,
} from '../components.ts';
import { bytes, count, duration, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { FORECASTS } from './balance.ts';
import { CHANGE_NAMES } from './failures.ts';

export const reportView = (report: Report, now: number): Markup => html`
<h2>${report.first_day} to ${report.last_day} <span class="quiet">account ${report.account}, days of ${report.time_zone}</span></h2>
${report.is_over ? null : emptyNote(`The ${report.period} is not over. All numbers are those so far.`)}
${part('Bytes', amounts(report))}
${part('Users with the most bytes', users(report))}
${report.ledger_services.length > 0 ? part('Services with the most bytes', ledgerServices(report)) : null}
${part('What is left', runway(report, now))}
${part('Alerts', alerts(report))}
${report.uptime.length > 0 ? part('Uptime', html`${report.uptime.map((each) => uptime(report.account, each))}`) : null}
${part('Changes', changes(report))}
${report.unknown.length > 0 ? part('What is unknown', unknownParts(report.unknown)) : null}`;

interface Amount {
  readonly name: string;
  readonly now: number | null;
  readonly before: number | null;
  readonly isComparable: boolean;
  readonly format: (amount: number) => string;
}

/** The sums, as texts name them too. */
export const AMOUNTS: readonly (readonly [
  name: keyof Report['amounts'],
  text: string,
  format: (amount: number) => string,
])[] = [
  ['ledger_used_bytes', 'Residential data used by the ledger', bytes],
  ['ledger_added_bytes', 'Residential data added by the ledger', bytes],
  ['residential_users_bytes', 'Residential use of all users', bytes],
  ['mobile_users_bytes', 'Mobile use of all users', bytes],
  ['traffic_bytes', 'Traffic of the account', bytes],
  ['traffic_requests', 'Requests of the account', count],
];

const amounts = ({ amounts: now, amounts_before: before, comparable, period }: Report): Markup =>
  table<Amount>(
    'Bytes of the period and of the one before',
    [
      column('Sum', ({ name }) => name),
      column(`This ${period}`, ({ now, format }) => orUnknown(now, format), 'number'),
      column(`The ${period} before`, ({ before, format }) => orUnknown(before, format), 'number'),
      column('Change', changeOf, 'number'),
    ],
    AMOUNTS.map(([key, name, format]) => ({
      ...{ name, format, now: now[key], before: before[key] },
      isComparable: comparable.some((part) => key.includes(part)),
    })),
  );

const changeOf = ({ now, before, isComparable }: Amount): Value => {
  if (now === null || !before || !isComparable) return '–';
  const rounded = Math.round((now / before - 1) * 100);
  return `${rounded > 0 ? '+' : ''}${count(rounded)}%`;
};

const users = ({ users }: Report): Markup =>
  users.length === 0
    ? emptyNote('No use of a user is known.')
    : table<Report['users'][number]>(
        'Proxy users with the most bytes',
        [
          column('Proxy user', ({ account, proxy_user_id: id }) => subjectLink(account, 'user', id)),
          column('Residential', ({ bytes: { residential } }) => orUnknown(residential, bytes), 'number'),
          column('Mobile', ({ bytes: { mobile } }) => orUnknown(mobile, bytes), 'number'),
          column('Share of all users', ({ share }) => percent(share), 'number'),
        ],
        users,
      );

const ledgerServices = ({ account, ledger_services: services }: Report): Markup =>
  table<Report['ledger_services'][number]>(
    'Services with the most bytes in the ledger',
    [
      column('Service', ({ service_id: id }) =>
        id === null ? 'Whole account' : subjectLink(account, 'service', id),
      ),
      column('Used', ({ used_bytes: used }) => bytes(used), 'number'),
    ],
    services,
  );

const runway = ({ account, balance, mobile_balance: mobile, quotas }: Report, now: number): Markup =>
  html`${factList({
    'Residential balance': orUnknown(balance, ({ left_bytes: left }) => bytes(left)),
    'Runs out': orUnknown(balance, (left) => endOf(left, now)),
    'Mobile balance': mobile && bytes(mobile.left_bytes),
    'Mobile runs out': mobile && endOf(mobile, now),
    'Exhausted quotas': orUnknown(quotas, ({ exhausted }) => count(exhausted)),
    'Low quotas': orUnknown(quotas, ({ low }) => count(low)),
    'Quotas used up soon': orUnknown(quotas, ({ soon }) => count(soon)),
    'Unknown quotas': quotas && quotas.unknown > 0 ? count(quotas.unknown) : null,
  })}${
    quotas && quotas.next.length > 0
      ? table<(typeof quotas.next)[number]>(
          'Quotas that run out first',
          [
            column('Proxy user', ({ proxy_user_id: id }) => subjectLink(account, 'user', id)),
            column('Type', ({ product_type: type }) => type),
            column('Left', ({ left_bytes: left }) => bytes(left), 'number'),
            column('Runs out', ({ exhausted_at: at }) => dateAndDistance(at, now)),
          ],
          quotas.next,
        )
      : null
  }`;

const endOf = ({ exhausted_at: at, forecast }: NonNullable<Report['balance']>, now: number): Value =>
  at === null ? FORECASTS[forecast] : dateAndDistance(at, now);

const alerts = ({ alerts, longest_alerts: longest }: Report): Markup => {
  if (!alerts) return emptyNote('Unknown. The reason is at the end of the report.');
  if (alerts.length === 0) return emptyNote('No alert is known to have fired.');
  return html`${table<(typeof alerts)[number]>(
    'Alerts that fired, the longest first',
    [
      column('Alert', ({ alert }) => alert),
      column('Began', ({ began }) => count(began), 'number'),
      column('Fire still', ({ firing }) => count(firing), 'number'),
      column('Subjects', ({ subjects }) => count(subjects), 'number'),
      column('Time of all subjects', ({ seconds }) => duration(seconds * 1_000), 'number'),
    ],
    alerts,
  )}${table<(typeof longest)[number]>(
    'Alerts that fired the longest',
    [
      column('Alert', ({ alert }) => alert),
      column('Subject', ({ labels }) => subjectOf(labels)),
      column('Since', ({ firing_since: at }) => minute(at)),
      column('Until', ({ ended_at: at }) => (at === null ? 'fires' : minute(at))),
      column('Time in the period', ({ seconds }) => duration(seconds * 1_000), 'number'),
    ],
    longest,
  )}`;
};

const subjectOf = ({ account: _, ...labels }: Readonly<Record<string, string>>): string =>
  Object.values(labels).join(', ');

type Uptime = Report['uptime'][number];

const SOURCES = { proxy_tests: 'Tests by the provider', probes: 'Probes from here' } as const;

const uptime = (account: string, { source, ratio, results, proxies, worst }: Uptime): Markup =>
  html`${factList({
    [SOURCES[source]]: orUnknown(ratio, percent),
    'of the results of all proxies': count(results),
    'Proxies without failures': count(proxies.without_failures),
    'With failures of their own': count(proxies.own_failures),
    'With unexplained failures': count(proxies.unexplained_failures),
    'With failures of others only': count(proxies.other_failures),
    'With failures of unknown cause': proxies.unknown > 0 ? count(proxies.unknown) : null,
  })}${
    worst.length > 0
      ? table<Uptime['worst'][number]>(
          'Proxies with the lowest uptime of their own',
          [
            column('Proxy', ({ proxy_id: id }) => subjectLink(account, 'proxy', id)),
            column('Own uptime', ({ own_ratio: own }) => orUnknown(own, percent), 'number'),
            column('All tests', ({ ratio }) => orUnknown(ratio, percent), 'number'),
            column('Results', ({ results }) => count(results), 'number'),
          ],
          worst,
        )
      : null
  }`;

const changes = ({ account, inventory_changes: inventory, services }: Report): Markup =>
  html`${factList(
    inventory
      ? Object.fromEntries(
          Object.entries(CHANGE_NAMES).map(([kind, name]) => [
            name,
            inventory[kind as keyof typeof inventory],
          ]),
        )
      : { Inventory: orUnknown(null, String) },
  )}${services ? serviceTable(account, services) : factList({ Services: orUnknown(null, String) })}`;

type Services = NonNullable<Report['services']>;
type ServiceRow = Services['begun']['first'][number] & { readonly kind: string };

const KINDS = { begun: 'Begun', ended: 'Ended', next: 'Ends within 30 days' } as const;

const serviceTable = (account: string, services: Services): Markup => {
  const kinds = Object.entries(KINDS).map(([key, kind]) => ({ kind, of: services[key as keyof Services] }));
  const rows = kinds.flatMap(({ kind, of }) => of.first.map((each) => ({ ...each, kind })));
  const counts = Object.fromEntries(kinds.map(({ kind, of }) => [`Services: ${kind}`, count(of.count)]));
  return html`${factList(counts)}${rows.length > 0 ? table<ServiceRow>('Services that began or end', SERVICE_COLUMNS(account), rows) : null}`;
};

const SERVICE_COLUMNS = (account: string): Column<ServiceRow>[] => [
  column(
    'Service',
    ({ service_id: id, service_name: name }) => html`${subjectLink(account, 'service', id)} ${name}`,
  ),
  column('Change', ({ kind }) => kind),
  column('Time', ({ at }) => minute(at)),
];
