// Shows the firing and pending alerts of all accounts and the daemon itself, one row for each kind.

import type { Alert, Alerts } from '../answers.ts';
import { ago, ahead, badge, emptyNote, type Level, quiet, table } from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

const NOT_EVALUATED =
  'This daemon does not evaluate alerts, because no receiver is configured. Prometheus can evaluate alerts with the rules of proxywatch.';

/** Alerts of one kind in one state and severity, which are all silenced or all not. */
type Group = readonly [Alert, ...Alert[]];

/** If the last evaluation is older, evaluation has stopped. */
const MAX_AGE_MS = 5 * 60_000;

export const alertTable = (alerts: Alerts, now: number): Markup => {
  const { evaluated, evaluated_at: at, data, next_cursor } = alerts;
  if (!evaluated) return html`<p class="empty">${badge('none', 'Not evaluated')} ${NOT_EVALUATED}</p>`;
  if (data.length === 0) return noAlerts(at, now);
  const groups = Map.groupBy(data, (each) => `${rank(each)} ${each.alert}`);
  return html`${isStopped(at, now) ? noAlerts(at, now) : null}${table<Group>(
    'Alerts of all accounts',
    [
      { name: 'Alert', cell: nameOf },
      { name: 'State', cell: stateBadge, kind: 'state' },
      { name: 'Alerts', cell: ({ length }) => count(length), kind: 'number' },
      { name: 'Account', cell: accountsOf },
      { name: 'Since', cell: (group) => ago(group.map(({ since }) => since).sort()[0] ?? '', now) },
      { name: 'Summary', cell: (group) => html`${silenceNote(group, now)}${summaries(group)}`, kind: 'wide' },
    ],
    [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group as never as Group),
  )}${next_cursor === null ? null : emptyNote(`The page shows only the first ${count(data.length)} alerts. The API has all alerts.`)}`;
};

const isStopped = (at: string | null, now: number): boolean =>
  at !== null && Date.parse(at) < now - MAX_AGE_MS;

/** Says that no alert fires only if alerts were evaluated recently. */
const noAlerts = (at: string | null, now: number): Markup => {
  if (at === null)
    return html`<p class="empty">${badge('none', 'No data yet')} The daemon has not evaluated alerts since it started.</p>`;
  if (isStopped(at, now))
    return html`<p class="empty">${badge('bad', 'Not evaluated')} The daemon last evaluated alerts ${ago(at, now)}.</p>`;
  return emptyNote('No alert is firing or pending.');
};

/** Links the name to the alert's documentation if its address is known. */
const nameOf = ([{ alert, runbook }]: Group): Value =>
  runbook === null ? alert : html`<a href="${runbook}">${alert}</a>`;

const MAX_ACCOUNTS = 3;

const accountsOf = (group: Group): Value => {
  const names = [...new Set(group.map(({ labels }) => labels.account))];
  if (names.length > MAX_ACCOUNTS) return `${count(names.length)} accounts`;
  return html`${names.map((name, index) => [index === 0 ? null : ', ', name ?? quiet('the daemon')])}`;
};

const SEVERITIES = ['critical', 'warning', 'info'];

/** Sorts firing alerts first, then those that are not silenced, then by severity. */
const rank = ({ state, severity, silenced_until: silenced }: Alert): string =>
  `${state === 'firing' ? 0 : 1}${silenced === null ? 0 : 1}${SEVERITIES.indexOf(severity)}`;

const stateBadge = ([{ state, severity, silenced_until: silenced }]: Group): Markup => {
  if (state === 'pending') return badge('none', `Pending (${severity})`);
  return silenced === null
    ? badge(levelOf([severity]), `Firing (${severity})`)
    : badge('none', `Silenced (${severity})`);
};

/** Says until when the alerts are silenced, and why. If their silences end at different times, it names the first end. */
const silenceNote = (group: Group, now: number): Markup | null => {
  if (group[0].silenced_until === null) return null;
  const ends = [...new Set(group.map(({ silenced_until: until }) => until ?? ''))].sort();
  const reasons = new Set(
    group.flatMap(({ silenced_by: by }) =>
      by.map(({ comment, maintenance }) => comment ?? maintenance ?? ''),
    ),
  );
  const shown = [...reasons].slice(0, MAX_REASONS).join(', ');
  const end = ends.length > 1 ? 'the first silence ends' : 'ends';
  const rest = reasons.size > MAX_REASONS ? ', …' : '';
  return html`<p class="quiet">Silenced, ${end} ${ahead(ends[0] ?? '', now)} (${shown}${rest}).</p>`;
};

const MAX_REASONS = 3;

/** Returns the level of the worst of these severities. */
export const levelOf = (severities: readonly string[]): Level => {
  if (severities.includes('critical')) return 'bad';
  return severities.includes('warning') ? 'fair' : 'none';
};

const summaries = ([first, ...others]: Group): Markup =>
  others.length === 0
    ? html`${first.summary}`
    : html`${first.summary}<details data-key="${first.alert} ${rank(first)}"><summary>and ${count(others.length)} more</summary>
<ul>${others.map(({ summary }) => html`<li>${summary}</li>`)}</ul></details>`;
