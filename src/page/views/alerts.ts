// Shows the firing and pending alerts of all accounts and the daemon itself, one row for each kind, with links to their
// subjects.

import { VIEWS_BY_LABEL } from '../address.ts';
import type { AlertGroup, AlertGroups } from '../answers.ts';
import {
  ago,
  ahead,
  badge,
  column,
  emptyNote,
  type Level,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

const NOT_EVALUATED =
  'This daemon does not evaluate alerts, because the configuration has no receivers or sets alerts.evaluate to false. Prometheus can evaluate alerts with the rules of proxywatch.';

/** If the last evaluation is older, evaluation has stopped. */
const MAX_AGE_MS = 5 * 60_000;

export const alertTable = (
  { evaluated, evaluated_at: at, data }: Omit<AlertGroups, 'counts'>,
  now: number,
): Markup => {
  if (!evaluated) return html`<p class="empty">${badge('none', 'Not evaluated')} ${NOT_EVALUATED}</p>`;
  if (data.length === 0) return noAlerts(at, now);
  return html`${isStopped(at, now) ? noAlerts(at, now) : null}${table<AlertGroup>(
    'Alerts of all accounts',
    [
      column('Alert', nameOf),
      column('State', stateBadge, 'state'),
      column('Alerts', ({ count: alerts }) => count(alerts), 'number'),
      column('Account', accountsOf),
      column('Since', ({ since }) => ago(since, now)),
      column('Summary', (group) => html`${silenceNote(group, now)}${summaries(group)}`, 'wide'),
    ],
    data,
  )}`;
};

export const isStopped = (at: string | null, now: number): boolean =>
  at !== null && Date.parse(at) < now - MAX_AGE_MS;

/** Says that no alert fires only if alerts were evaluated recently. */
const noAlerts = (at: string | null, now: number): Markup => {
  if (at === null)
    return html`<p class="empty">${badge('none', 'No data yet')} The daemon has not evaluated alerts since it started.</p>`;
  if (isStopped(at, now))
    return html`<p class="empty">${badge('bad', 'Not evaluated')} The daemon last evaluated alerts ${ago(at, now)}.</p>`;
  return emptyNote('No alert is firing or pending.');
};

/** Links to the page of the alert, and to its documentation if its address is known. */
const nameOf = (group: AlertGroup): Value => {
  const runbook = group.examples[0]?.runbook ?? null;
  return runbook === null
    ? alertLink(group)
    : html`${alertLink(group)} <a class="note" href="${runbook}">Runbook</a>`;
};

const alertLink = ({ alert, accounts }: AlertGroup, text: string = alert): Markup =>
  subjectLink(accounts[0] ?? '', 'alert', alert, text);

const accountsOf = ({ accounts, account_count: known }: AlertGroup): Value => {
  if (known > accounts.length) return `${count(known)} accounts`;
  return known === 0 ? quiet('the daemon') : accounts.join(', ');
};

export const stateBadge = ({
  state,
  severity,
  silenced_until: silenced,
}: Pick<AlertGroup, 'state' | 'severity' | 'silenced_until'>): Markup => {
  if (state === 'pending') return badge('none', `Pending (${severity})`);
  return silenced === null
    ? badge(levelOf([severity]), `Firing (${severity})`)
    : badge('none', `Silenced (${severity})`);
};

/** Says until when the alerts are silenced, and why. Of several alerts it names the first end. */
export const silenceNote = (
  {
    silenced_until: until,
    count: alerts,
    examples,
  }: Pick<AlertGroup, 'silenced_until' | 'count' | 'examples'>,
  now: number,
): Markup | null => {
  if (until === null) return null;
  const reasons = new Set(
    examples.flatMap(({ silenced_by: by }) =>
      by.map(({ comment, maintenance }) => comment ?? maintenance ?? ''),
    ),
  );
  const shown = [...reasons].slice(0, MAX_REASONS).join(', ');
  const rest = reasons.size > MAX_REASONS || alerts > examples.length ? ', …' : '';
  return html`<p class="quiet">Silenced, ${alerts > 1 ? 'the first silence ends' : 'ends'} ${ahead(until, now)} (${shown}${rest}).</p>`;
};

const MAX_REASONS = 3;

/** Returns the level of the worst of these severities. */
export const levelOf = (severities: readonly string[]): Level => {
  if (severities.includes('critical')) return 'bad';
  return severities.includes('warning') ? 'fair' : 'none';
};

/** Shows the first alerts; the page of the alert has all. */
const summaries = (group: AlertGroup): Markup => {
  const [first, ...others] = group.examples;
  const shown = html`${first ? linkToSubject(first, first.summary) : null}`;
  if (group.count <= 1) return shown;
  const missing = group.count - 1 - others.length;
  return html`${shown}<details data-key="${group.alert} ${group.state} ${group.severity} ${group.silenced_until === null ? '' : 'silenced'}"><summary>and ${count(group.count - 1)} more</summary>
<ul>${others.map((alert) => html`<li>${linkToSubject(alert, alert.summary)}</li>`)}${missing > 0 ? html`<li>${alertLink(group, `${count(missing)} more`)}</li>` : null}</ul></details>`;
};

/** Returns the subjects that the labels name, each with a link to its page; null if the labels name only an account. */
export const subjectOf = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): Value => {
  const { account, ...others } = labels;
  const parts = Object.entries(others).map(([label, value]) => {
    const view = VIEWS_BY_LABEL[label as keyof typeof VIEWS_BY_LABEL];
    return account === undefined || view === undefined || value === ''
      ? value
      : subjectLink(account, view, value);
  });
  return parts.length === 0 ? null : parts.map((part, index) => [index === 0 ? null : ', ', part]);
};

/** Returns the text as a link to the page of the first subject that the labels name, if there is one. */
export const linkToSubject = (
  { labels }: { readonly labels: Readonly<Record<string, string>> },
  text: string,
): Value => {
  const { account } = labels;
  for (const [label, view] of Object.entries(VIEWS_BY_LABEL)) {
    const id = labels[label];
    if (account !== undefined && id) return subjectLink(account, view, id, text);
  }
  return text;
};
