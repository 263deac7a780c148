// Finds the links and the descriptions that a message has once, however many alerts it is about.

import type { Annotate, Annotations } from '../../annotations.ts';
import type { AlertDescription } from '../../notification.ts';
import { isFiring } from './lines.ts';

export interface Link {
  readonly title: string;
  readonly url: string;
}

/** Returns the links that all alerts share. */
export const linksIn = (alerts: readonly AlertDescription[], annotate: Annotate): Link[] => {
  const { status_page_url: page, dashboard_url: dashboard } = alerts[0] ? annotate(alerts[0]) : {};
  return [
    ...(page === undefined ? [] : [{ title: 'Status page', url: page }]),
    ...(dashboard === undefined ? [] : [{ title: 'Dashboard', url: dashboard }]),
  ];
};

/** Returns the links of all alerts, and the runbook of each kind of alert that fires. */
export const allLinks = (alerts: readonly AlertDescription[], annotate: Annotate): Link[] => [
  ...linksIn(alerts, annotate),
  ...describedKinds(alerts, annotate).flatMap(({ name, runbook_url: url }) =>
    url === undefined ? [] : [{ title: `Runbook of ${name}`, url }],
  ),
];

export interface DescribedKind extends Annotations {
  /** The name of the alert. */
  readonly name: string;
  readonly description: string;
}

/** Returns each kind of alert that fires and has a description. */
export const describedKinds = (alerts: readonly AlertDescription[], annotate: Annotate): DescribedKind[] =>
  [...Map.groupBy(alerts.filter(isFiring), ({ alert }) => alert)].flatMap(([name, [first]]) => {
    const annotations = first && annotate(first);
    const description = annotations?.description;
    return annotations && description !== undefined ? [{ ...annotations, name, description }] : [];
  });
