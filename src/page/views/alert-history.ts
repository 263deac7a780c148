// Shows active alerts with the receivers that were notified and why others were not, and the history of alerts.

import type { Episode, ExplainedAlert, InactiveAlert, Notices } from '../answers.ts';
import {
  ago,
  badge,
  type Column,
  column,
  elapsed,
  emptyCell,
  emptyNote,
  minute,
  orDash,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { duration } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { scopesOf, silenceButtons } from './action-buttons.ts';
import { levelOf, silenceNote, stateBadge, subjectOf } from './alerts.ts';

/** Names accounts only if there are several. */
export const alertHistoryTable = (episodes: readonly Episode[], now: number): Markup => {
  if (episodes.length === 0) return emptyNote('The history has no alerts that fired.');
  const isOfOne = new Set(episodes.map(({ labels }) => labels.account)).size === 1;
  const columns = alertHistoryColumns(now).filter(({ name }) => name !== 'Account' || !isOfOne);
  return table<Episode>('Alerts that fire or have fired, newest first', columns, episodes);
};

export const alertHistoryColumns = (now: number): Column<Episode>[] => [
  column('Alert', ({ alert, labels }) => subjectLink(labels.account ?? '', 'alert', alert)),
  column('State', episodeBadge, 'state'),
  column('Account', ({ labels }) => labels.account ?? quiet('the daemon')),
  column('Subject', (episode) => orDash(subjectOf(episode))),
  column('Began to fire', ({ firing_since: since }) => minute(since)),
  column('Fired for', (episode) => firedFor(episode, now)),
  column('Notified', receiversOf, 'wide'),
];

const episodeBadge = ({ state, severity }: Episode): Markup =>
  state === 'firing'
    ? badge(levelOf([severity]), `Firing (${severity})`)
    : badge('none', `Resolved (${severity})`);

const firedFor = ({ firing_since: since, ended_at: end }: Episode, now: number): Value =>
  end === null ? elapsed(since, now) : duration(Date.parse(end) - Date.parse(since));

/** A receiver that did not accept its notification was not notified. */
const DELIVERIES = { accepted: null, waiting: ' (waits)', given_up: ' (given up)', unknown: null };

/** Shows each receiver with the time of its first notification, unless it knew the alert already. */
const receiversOf = ({ notified }: Episode): Value =>
  notified.length === 0
    ? emptyCell()
    : notified.map(({ receiver, firing_at: at, delivery }, index) => [
        index === 0 ? null : ', ',
        html`<span class="nowrap">${receiver}${at === null ? null : html` ${quiet(minute(at))}`}${DELIVERIES[delivery]}</span>`,
      ]);

/** Says that no alert is active only if the daemon has evaluated the alert for each account. */
export const activeAlerts = ({ data, inactive }: Notices, now: number): Markup => {
  if (data.length > 0) return explainedTable(data, now);
  const isEvaluated = inactive.length > 0 && inactive.every(({ status }) => EVALUATED.includes(status));
  return isEvaluated ? emptyNote('No such alert is firing or pending.') : html``;
};

const EVALUATED: readonly InactiveAlert['status'][] = ['condition_false', 'suppressed'];

const explainedTable = (alerts: readonly ExplainedAlert[], now: number): Markup =>
  table<ExplainedAlert>(
    'Active alerts, and who was notified',
    [
      column('Alert', ({ summary }) => summary),
      column(
        'State',
        (alert) => html`${stateBadge(alert)}${silenceNote({ ...alert, count: 1, examples: [alert] }, now)}`,
        'state',
      ),
      column('Since', ({ since }) => ago(since, now)),
      column('Subject', subjectOf),
      column('Receivers', receivers, 'wide'),
      column('Act', actsOf),
    ],
    alerts,
  );

const actsOf = (alert: ExplainedAlert): Value => {
  const scopes = scopesOf(alert.alert, [alert]);
  return alert.silenced_until === null ? silenceButtons(scopes, alert.summary) : emptyCell();
};

/** Shows what all alerts of this name have in common: what they mean, and where their documentation is. */
export const aboutAlert = ({ data: [first] }: Notices): Markup =>
  html`${first?.description ? html`<p class="lines">${first.description}</p>` : null}
${first?.runbook ? html`<p><a href="${first.runbook}">Runbook</a></p>` : null}`;

const receivers = ({ receivers: notices }: ExplainedAlert): Value =>
  notices.length === 0
    ? 'The configuration has no receiver.'
    : html`<ul class="plain">${notices.map(({ text }) => html`<li>${text}</li>`)}</ul>`;

/** Says why accounts have no active alert, as far as the daemon knows. */
export const inactiveList = ({ data, inactive }: Notices): Markup =>
  inactive.length === 0
    ? html``
    : html`<h3>${data.length === 0 ? 'Why no alert is shown' : 'Why other accounts have none'}</h3><ul>${inactive.map(
        ({ account, text }) => html`<li>${account === null ? null : `${account}: `}${text}</li>`,
      )}</ul>`;
