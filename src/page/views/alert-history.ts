// Shows the history of alerts: when each alert fired, for how long, and which receivers were notified.

import type { Episode } from '../answers.ts';
import { badge, elapsed, emptyCell, emptyNote, localTime, quiet, table } from '../components.ts';
import { duration } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { levelOf } from './alerts.ts';

export const alertHistoryTable = (episodes: readonly Episode[], now: number): Markup =>
  episodes.length === 0
    ? emptyNote('The history has no alerts that fired.')
    : html`${table<Episode>(
        'Alerts that fire or have fired, newest first',
        [
          { name: 'Alert', cell: ({ alert }) => alert },
          { name: 'State', cell: stateBadge, kind: 'state' },
          { name: 'Account', cell: ({ labels }) => labels.account ?? quiet('the daemon') },
          { name: 'Subject', cell: subjectOf },
          {
            name: 'Began to fire',
            cell: ({ firing_since: since }) => localTime(Date.parse(since), 'minute'),
          },
          { name: 'Fired for', cell: (episode) => firedFor(episode, now) },
          { name: 'Notified', cell: receiversOf, kind: 'wide' },
        ],
        episodes,
      )}<p class="quiet">Alertmanagers get all alerts, and are not listed.</p>`;

const stateBadge = ({ state, severity }: Episode): Markup =>
  state === 'firing'
    ? badge(levelOf([severity]), `Firing (${severity})`)
    : badge('none', `Resolved (${severity})`);

const subjectOf = ({ labels }: Episode): Value => {
  const values = Object.entries(labels).flatMap(([name, value]) => (name === 'account' ? [] : [value]));
  return values.join(', ') || emptyCell();
};

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
