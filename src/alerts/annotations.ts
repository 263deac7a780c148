// Builds the annotations of an alert with its links, the same for rules of Prometheus and for notifications.

import { SECTIONS, type Section, VIEW_NAMES, VIEWS_BY_LABEL } from '../page/address.ts';
import type { Alert } from './alert.ts';
import type { AlertDescription } from './notification.ts';

/** The names are those of the annotations. */
export interface Annotations extends Links {
  readonly summary: string;
  /** Left out for an alert that only another version of proxywatch knows. */
  readonly description?: string;
}

export type Annotate = (alert: AlertDescription) => Annotations;

/** Returns what the alert means, what happens next, and what to check first, as plain text of several lines. */
export const descriptionOf = (alert: Alert): string =>
  plainText(
    [
      `${alert.meaning} ${alert.consequence}`,
      'What to do first:',
      ...checksOf(alert).map((check, index) => `${index + 1}. ${check}`),
    ].join('\n'),
  );

/** Returns a function that annotates alerts with the addresses that are configured at that time. */
export const annotator = (alerts: readonly Alert[], settings: () => LinkSettings): Annotate => {
  const known = new Map(
    alerts.map((alert) => [
      alert.name,
      { description: descriptionOf(alert), unset: emptyLabels(alert), section: alert.section },
    ]),
  );
  return ({ alert, labels, summary }) => {
    const { description, unset, section } = known.get(alert) ?? {};
    const links = linksOf(alert, settings(), labelsInQuery({ ...unset, ...labels }), section);
    return { summary, ...(description !== undefined && { description }), ...links };
  };
};

/** In Prometheus, a missing label is an empty one, so the links have an empty value for it. */
const emptyLabels = ({ labels }: Alert): Readonly<Record<string, string>> =>
  Object.fromEntries(labels.map((label) => [label, '']));

/** Turns Markdown into plain text: code gets quotation marks instead of backticks, and links lose their targets. */
const plainText = (markdown: string): string =>
  markdown.replaceAll(/`([^`]*)`/g, '“$1”').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');

type Viewed = Pick<Alert, 'labels' | 'section'>;

const PAGE = 'reference/api.md#the-status-page';

/** Returns the checks of an alert with its view in words, as Markdown whose links start at docs/. */
export const checksOf = ({ checks, ...alert }: Viewed & Pick<Alert, 'checks'>): string[] =>
  checks.map((check) => check.replace('{view}', viewText(alert)));

/** Returns what the status page calls the view. */
const viewName = ({ labels, section }: Viewed): string => {
  const [subject] = subjectsIn(labels);
  if (subject) return VIEW_NAMES[subject];
  return section === undefined ? VIEW_NAMES.account : SECTIONS[section];
};

const viewText = (alert: Viewed): string => {
  const name = viewName(alert);
  if (subjectsIn(alert.labels).length > 0)
    return `the page of the ${name.toLowerCase()} on the [status page](${PAGE})`;
  return alert.section === undefined
    ? `the [status page](${PAGE})`
    : `the part “${name}” of the [status page](${PAGE})`;
};

const subjectsIn = (labels: readonly string[]) =>
  Object.entries(VIEWS_BY_LABEL).flatMap(([label, view]) => (labels.includes(label) ? [view] : []));

/** The configured addresses; undefined if the configuration has none. */
export interface LinkSettings {
  /** The documentation as a site, or the page of the alerts itself if it ends with .html or .md. */
  readonly docsUrl?: string | undefined;
  /** The address at which users reach the status page. */
  readonly externalUrl?: string | undefined;
  readonly dashboardUrl?: string | undefined;
}

/** Links by the names of their annotations. A link without a configured address is left out. */
interface Links {
  readonly runbook_url?: string;
  readonly status_page_url?: string;
  readonly dashboard_url?: string;
}

const ALERTS_PAGE = 'alerts.html';

/** Returns the address of the alert's section in the documentation; undefined if the documentation's is unknown. */
export const runbookUrlOf = (alert: string, { docsUrl }: LinkSettings): string | undefined => {
  if (docsUrl === undefined) return undefined;
  const page = /\.(html|md)$/.test(docsUrl) ? docsUrl : `${docsUrl.replace(/\/$/, '')}/${ALERTS_PAGE}`;
  return `${page}#${alert.toLowerCase()}`;
};

/** Returns how the value of a label is written in the query of an address; undefined if the alert lacks the label. */
type QueryLabel = (label: string) => string | undefined;

/** `section` is the part of the overview that an alert without a subject opens. */
export const linksOf = (
  alert: string,
  settings: LinkSettings,
  label: QueryLabel,
  section?: Section,
): Links => {
  const runbook_url = runbookUrlOf(alert, settings);
  const { externalUrl, dashboardUrl } = settings;
  return {
    ...(runbook_url !== undefined && { runbook_url }),
    ...(externalUrl !== undefined && { status_page_url: subjectUrl(externalUrl, label, section) }),
    ...(dashboardUrl !== undefined && { dashboard_url: dashboardUrl }),
  };
};

/** Writes the labels of an alert into addresses, exactly as `urlquery` does in the rules for Prometheus. */
export const labelsInQuery =
  (labels: Readonly<Record<string, string>>): QueryLabel =>
  (name) => {
    const value = labels[name];
    return value === undefined ? undefined : queryText(value);
  };

/** Writes templates for Prometheus instead of values. */
export const labelTemplates =
  (names: readonly string[]): QueryLabel =>
  (name) =>
    names.includes(name) ? `{{ $labels.${name} | urlquery }}` : undefined;

/** Returns the page of the alert's subject, else the section of its account, else the page. An empty graph is the account. */
const subjectUrl = (externalUrl: string, label: QueryLabel, section?: Section): string => {
  const account = label('account');
  if (account === undefined) return externalUrl;
  const [subject] = Object.entries(VIEWS_BY_LABEL).flatMap(([name, view]) => {
    const id = label(name);
    return id === undefined ? [] : [{ view, id }];
  });
  const query = [`account=${account}`, ...(subject ? parametersOf(subject, label('product_type')) : [])];
  const [page = '', ...anchor] = externalUrl.split('#');
  const anchors = section === undefined || subject ? anchor : [section];
  return [`${page}${page.includes('?') ? '&' : '?'}${query.join('&')}`, ...anchors].join('#');
};

/** The page of a proxy user shows the forecast of one product type. */
const parametersOf = (
  { view, id }: { readonly view: string; readonly id: string },
  productType: string | undefined,
): string[] => [
  `view=${view}`,
  `id=${id}`,
  ...(view === 'user' && productType !== undefined ? [`type=${productType}`] : []),
];

const queryText = (value: string): string =>
  encodeURIComponent(value.toWellFormed())
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
