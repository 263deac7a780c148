// Alerts that fire or are pending, of all accounts and of the daemon itself: a row for each kind, however many there are.

import type { Alert, Alerts } from '../answers.ts';
import { count } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { ago, badge, empty, type State, table } from '../parts.ts';

const NOT_EVALUATED =
  'This daemon does not evaluate alerts itself: no receiver is configured. Prometheus can, by the rules that come with it.';

/** Alerts of one kind in one state and severity. */
type Group = readonly [Alert, ...Alert[]];

export const alertTable = ({ evaluated, data, next_cursor }: Alerts, now: number): Markup => {
  if (!evaluated) return empty(NOT_EVALUATED);
  if (data.length === 0) return empty('No alert is firing or pending.');
  const groups = Map.groupBy(data, ({ alert, state, severity }) => `${rank(state, severity)} ${alert}`);
  return html`${table<Group>(
    'Alerts of all accounts',
    [
      { name: 'Alert', cell: ([{ alert }]) => alert },
      { name: 'State', cell: stateBadge, kind: 'state' },
      { name: 'Alerts', cell: ({ length }) => count(length), kind: 'number' },
      { name: 'Since', cell: (group) => ago(group.map(({ since }) => since).sort()[0] ?? '', now) },
      { name: 'What', cell: summaries, kind: 'wide' },
    ],
    [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group as never as Group),
  )}${next_cursor === null ? null : empty(`These are the first ${count(data.length)}; the API has the rest.`)}`;
};

const SEVERITIES = ['critical', 'warning', 'info'];

/** What fires comes first, then by severity. */
const rank = (state: Alert['state'], severity: string): string =>
  `${state === 'firing' ? 0 : 1}${SEVERITIES.indexOf(severity)}`;

const stateBadge = ([{ state, severity }]: Group): Markup =>
  state === 'pending'
    ? badge('none', `Pending (${severity})`)
    : badge(levelOf([severity]), `Firing (${severity})`);

/** The worst of these severities. */
export const levelOf = (severities: readonly string[]): State => {
  if (severities.includes('critical')) return 'bad';
  return severities.includes('warning') ? 'fair' : 'none';
};

const summaries = ([first, ...others]: Group): Markup =>
  others.length === 0
    ? html`${first.summary}`
    : html`${first.summary}<details data-key="${first.alert} ${first.state}"><summary>and ${count(others.length)} more</summary>
<ul>${others.map(({ summary }) => html`<li>${summary}</li>`)}</ul></details>`;
