// Alerts that fire or are pending, of all accounts and of the daemon itself.

import type { Page } from '../answers.ts';
import type { Markup } from '../html.ts';
import { ago, badge, empty, quiet, table } from '../parts.ts';

/** An item of /api/v1/alerts. */
export interface Alert {
  readonly alert: string;
  readonly severity: string;
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly since: string;
  readonly summary: string;
}

export interface Alerts extends Page<Alert> {
  readonly evaluated: boolean;
}

export const NOT_EVALUATED =
  'This daemon does not evaluate alerts itself: no receiver is configured. Prometheus can, by the rules that come with it.';

export const alertTable = ({ evaluated, data }: Alerts, now: number): Markup => {
  if (!evaluated) return empty(NOT_EVALUATED);
  if (data.length === 0) return empty('No alert is firing or pending.');
  return table<Alert>(
    'Alerts of all accounts',
    [
      { name: 'Alert', cell: ({ alert }) => alert },
      { name: 'State', cell: stateBadge, kind: 'state' },
      { name: 'Since', cell: ({ since }) => ago(since, now) },
      { name: 'Account', cell: ({ labels }) => labels.account ?? quiet('the daemon') },
      { name: 'What', cell: ({ summary }) => summary, kind: 'wide' },
    ],
    [...data].sort((one, other) => rank(one) - rank(other)),
  );
};

const rank = ({ state, severity }: Alert): number =>
  (state === 'firing' ? 0 : 2) + (severity === 'critical' ? 0 : 1);

const stateBadge = ({ state, severity }: Alert): Markup => {
  if (state === 'pending') return badge('none', `Pending (${severity})`);
  return badge(severity === 'critical' ? 'bad' : 'fair', `Firing (${severity})`);
};

export const alertCounts = ({ data, next_cursor }: Alerts) => {
  const firing = data.filter(({ state }) => state === 'firing').length;
  return { firing, pending: data.length - firing, more: next_cursor !== null };
};
