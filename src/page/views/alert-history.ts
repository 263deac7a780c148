// Shows the history of alerts: when each alert fired, for how long, and which receivers were notified.

import type { Episode } from '../answers.ts';
import {
  badge,
  type Column,
  elapsed,
  emptyCell,
  emptyNote,
  localTime,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { duration } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { levelOf } from './alerts.ts';
import { subjectOf } from './subjects.ts';

export const alertHistoryTable = (episodes: readonly Episode[], now: number): Markup =>
  episodes.length === 0
    ? emptyNote('The history has no alerts that fired.')
    : html`${table<Episode>('Alerts that fire or have fired, newest first', alertHistoryColumns(now), episodes)}<p class="quiet">Alertmanagers get all alerts, and are not listed.</p>`;

export const alertHistoryColumns = (now: number): Column<Episode>[] => [
  { name: 'Alert', cell: ({ alert, labels }) => subjectLink(labels.account ?? '', 'alert', alert) },
  { name: 'State', cell: stateBadge, kind: 'state' },
  { name: 'Account', cell: ({ labels }) => labels.account ?? quiet('the daemon') },
  { name: 'Subject', cell: (episode) => subjectOf(episode) ?? emptyCell() },
  { name: 'Began to fire', cell: ({ firing_since: since }) => localTime(Date.parse(since), 'minute') },
  { name: 'Fired for', cell: (episode) => firedFor(episode, now) },
  { name: 'Notified', cell: receiversOf, kind: 'wide' },
];

const stateBadge = ({ state, severity }: Episode): Markup =>
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
        html`<span class="nowrap">${receiver}${at === null ? null : html` ${quiet(localTime(Date.parse(at), 'minute'))}`}${DELIVERIES[delivery]}</span>`,
      ]);
