// Builds the annotations of an alert, with what to do first. The rules for Prometheus and the daemon's notifications have the
// same annotations.

import { SECTIONS, VIEW_NAMES, VIEWS_BY_LABEL } from '../page/address.ts';
import type { Alert } from './alert.ts';
import { type LinkSettings, type Links, labelsInQuery, linksOf } from './links.ts';
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
export const viewName = ({ labels, section }: Viewed): string => {
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
