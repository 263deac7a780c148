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
