// Shows active alerts with the receivers that were notified, and why others were not.

import type { ExplainedAlert, InactiveAlert, Notices } from '../answers.ts';
import { ago, emptyNote, table } from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { silenceNote, stateBadge } from './alerts.ts';
import { subjectOf } from './subjects.ts';

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
      { name: 'Alert', cell: ({ summary }) => summary },
      {
        name: 'State',
        cell: (alert) =>
          html`${stateBadge(alert)}${silenceNote({ ...alert, count: 1, examples: [alert] }, now)}`,
        kind: 'state',
      },
      { name: 'Since', cell: ({ since }) => ago(since, now) },
      { name: 'Subject', cell: subjectOf },
      { name: 'Receivers', cell: receivers, kind: 'wide' },
    ],
    alerts,
  );

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
