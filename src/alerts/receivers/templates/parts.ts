// Writes the parts of a message: the counts of the group, its first subjects, and each link and description once.

import { cutText } from '../../../lib/quoted-text.ts';
import { SEVERITIES } from '../../alert.ts';
import type { Annotate, Annotations } from '../../annotations.ts';
import type { AlertDescription, NotificationContent } from '../../notification.ts';

/** How many subjects a message names. The others are only counted. */
export const MAX_SUBJECTS = 5;
/** The most characters of one line, so that one alert leaves space for the others. */
const LINE_LENGTH = 300;
/** The most characters of a group in the title, which the counts follow. */
const GROUP_LENGTH = 200;

/** Returns the line with the counts, such as `[warning] DataStale, account main: 3 firing (1 new), 2 resolved`. */
export const titleOf = (content: NotificationContent): string => {
  const { alertname = 'proxywatch', ...others } = content.groupLabels;
  const labels = Object.entries(others).filter(([, value]) => value !== '');
  const group = [alertname, ...labels.map(([label, value]) => `${label} ${value}`)].join(', ');
  return `[${tagOf(content)}] ${oneLine(group, GROUP_LENGTH)}: ${countsOf(content)}`;
};

/** Returns the highest severity of the alerts that fire, or `resolved`. */
export const tagOf = ({ firing, alerts }: NotificationContent): string => {
  if (firing === 0) return 'resolved';
  const found = new Set(alerts.filter(isFiring).map(({ severity }) => severity));
  return SEVERITIES.find((severity) => found.has(severity)) ?? [...found][0] ?? 'firing';
};

const countsOf = ({ firing, silenced, added, risen, resolved }: NotificationContent): string => {
  const news = [
    ...(added > 0 && added < firing ? [`${numberText(added)} new`] : []),
    ...(risen > 0 ? [`${numberText(risen)} risen`] : []),
  ].join(', ');
  const still = added + risen === 0 ? 'still ' : '';
  return [
    ...(firing > 0 ? [`${numberText(firing)} ${still}firing${news && ` (${news})`}`] : []),
    ...(resolved > 0 ? [`${numberText(resolved)} resolved`] : []),
    ...(silenced > 0 ? [`${numberText(silenced)} silenced`] : []),
  ].join(', ');
};

export const subjectLines = (content: NotificationContent): string[] => {
  const shown = content.alerts.slice(0, MAX_SUBJECTS);
  const more = content.firing + content.resolved - shown.length;
  return [...shown.map((alert) => lineOf(alert, content)), ...(more > 0 ? [moreText(more)] : [])];
};

export const moreText = (count: number): string => `and ${numberText(count)} more`;

/** Repeats neither the tag nor the name of the title. The summary of a resolved alert says what was true before. */
const lineOf = (alert: AlertDescription, content: NotificationContent): string => {
  const tag = isFiring(alert) ? alert.severity : 'resolved';
  const name = 'alertname' in content.groupLabels ? '' : `${alert.alert}: `;
  const until = alert.endsAt === null ? '' : `until ${minuteText(alert.endsAt)}: `;
  return oneLine(`${tag === tagOf(content) ? '' : `[${tag}] `}${name}${until}${alert.summary}`);
};

const minuteText = (at: number): string => `${new Date(at).toISOString().slice(11, 16)} UTC`;

export const isFiring = ({ endsAt }: AlertDescription): boolean => endsAt === null;

/** Writes 5000 as 5,000. */
const numberText = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

const oneLine = (line: string, length = LINE_LENGTH): string => {
  const text = line.replaceAll(/\s+/g, ' ');
  return text.length > length ? `${cutText(text, length - 1)}…` : text;
};

interface Link {
  readonly title: string;
  readonly url: string;
}

export const linksIn = (alerts: readonly AlertDescription[], annotate: Annotate): Link[] => {
  const [page, { dashboard_url: dashboard } = {}] = [
    pageOf(alerts, annotate),
    ...alerts.slice(0, 1).map(annotate),
  ];
  return [
    ...(page === undefined ? [] : [{ title: pageTitle(page), url: page }]),
    ...(dashboard === undefined ? [] : [{ title: 'Dashboard', url: dashboard }]),
  ];
};

/** An address of this machine opens in no other browser, so its title says where it does. */
const pageTitle = (page: string): string =>
  LOOPBACK.test(URL.parse(page)?.hostname ?? '')
    ? 'Status page, on the machine of proxywatch'
    : 'Status page';

const LOOPBACK = /^(?:127\.[\d.]+|\[::1\]|(?:.+\.)?localhost)$/;

/** The parameters without which an address names no subject. */
const SUBJECT = ['account', 'view', 'id'];

/** Returns the address of the status page with what the addresses of all alerts have in common, such as the account. */
export const pageOf = (alerts: readonly AlertDescription[], annotate: Annotate): string | undefined => {
  const [first, ...others] = new Set(alerts.map((alert) => annotate(alert).status_page_url));
  if (first === undefined || others.length === 0) return first;
  const shared = new URL(first);
  const otherPages = others.map((other) => URL.parse(other ?? ''));
  const queries = otherPages.map((other) => other?.searchParams);
  for (const [name, value] of new URL(first).searchParams)
    if (queries.some((query) => query?.get(name) !== value)) shared.searchParams.delete(name);
  // A subject belongs to its account, and different views can have subjects of the same name.
  if (!SUBJECT.every((name) => shared.searchParams.has(name)))
    for (const name of ['view', 'id', 'type']) shared.searchParams.delete(name);
  // A section belongs to its account.
  if (!shared.searchParams.has('account') || otherPages.some((other) => other?.hash !== shared.hash))
    shared.hash = '';
  return shared.href;
};

/** Returns the links of all alerts, and the runbook of each kind of alert that fires. */
export const allLinks = (alerts: readonly AlertDescription[], annotate: Annotate): Link[] => [
  ...linksIn(alerts, annotate),
  ...describedKinds(alerts, annotate).flatMap(({ name, runbook_url: url }) =>
    url === undefined ? [] : [{ title: `Runbook of ${name}`, url }],
  ),
];

interface DescribedKind extends Annotations {
  readonly name: string;
  readonly description: string;
}

export const describedKinds = (alerts: readonly AlertDescription[], annotate: Annotate): DescribedKind[] =>
  [...Map.groupBy(alerts.filter(isFiring), ({ alert }) => alert)].flatMap(([name, [first]]) => {
    const annotations = first && annotate(first);
    const description = annotations?.description;
    return annotations && description !== undefined ? [{ ...annotations, name, description }] : [];
  });
