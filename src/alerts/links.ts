// Builds the links of an alert from the configured addresses. All of them are absolute URLs.

import { type Section, VIEWS_BY_LABEL } from '../page/address.ts';

/** The configured addresses; undefined if the configuration has none. */
export interface LinkSettings {
  /** The documentation as a site, or the page of the alerts itself if it ends with .html or .md. */
  readonly docsUrl?: string | undefined;
  /** The address at which users reach the status page. */
  readonly externalUrl?: string | undefined;
  readonly dashboardUrl?: string | undefined;
}

/** Links by the names of their annotations. A link without a configured address is left out. */
export interface Links {
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
export type QueryLabel = (label: string) => string | undefined;

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

/**
 * Returns the address at which the status page shows the alert's subject. Without a subject it is the section of the
 * alert's account, and without an account the page itself. An empty graph is the whole account.
 */
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
