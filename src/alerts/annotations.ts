// Builds the annotations of an alert. The rules for Prometheus and the daemon's notifications have the same annotations.

import type { Alert } from './alert.ts';
import { checksOf } from './checks.ts';
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
