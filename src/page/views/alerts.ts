// Shows the state of alerts: whether the daemon evaluates them, whether they are silenced, and their subjects.

import { VIEWS_BY_LABEL } from '../address.ts';
import type { AlertGroup, AlertGroups } from '../answers.ts';
import { ago, ahead, badge, type Level, subjectLink } from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';

const NOT_EVALUATED =
  'This daemon does not evaluate alerts, because the configuration has no receivers or sets alerts.evaluate to false. Prometheus can evaluate alerts with the rules of proxywatch.';

/** If the last evaluation is older, evaluation has stopped. */
const MAX_AGE_MS = 5 * 60_000;

export const isStopped = (at: string | null, now: number): boolean =>
  at !== null && Date.parse(at) < now - MAX_AGE_MS;

/** Says why the daemon does not know which alerts fire; null if it has evaluated them recently. */
export const evaluationNote = (
  { evaluated, evaluated_at: at }: Pick<AlertGroups, 'evaluated' | 'evaluated_at'>,
  now: number,
): Markup | null => {
  if (!evaluated) return html`<p class="empty">${badge('none', 'Not evaluated')} ${NOT_EVALUATED}</p>`;
  if (at === null)
    return html`<p class="empty">${badge('none', 'No data yet')} The daemon has not evaluated alerts since it started.</p>`;
  return isStopped(at, now)
    ? html`<p class="empty">${badge('bad', 'Not evaluated')} The daemon last evaluated alerts ${ago(at, now)}.</p>`
    : null;
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

/** Says when silences end, of which one can end when its alerts are resolved. */
export const silenceEnd = (
  silences: readonly { readonly until_resolved: boolean }[],
  end: string,
  now: number,
): Markup =>
  html`ends ${silences.some((silence) => silence.until_resolved) ? 'when the alert is resolved, or ' : null}${ahead(end, now)}`;

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
  const silences = examples.flatMap(({ silenced_by: by }) => by);
  const reasons = new Set(silences.map(({ comment, maintenance }) => comment ?? maintenance ?? ''));
  const shown = [...reasons].slice(0, MAX_REASONS).join(', ');
  const rest = reasons.size > MAX_REASONS || alerts > examples.length ? ', …' : '';
  return html`<p class="quiet">Silenced, ${alerts > 1 ? 'the first silence ' : ''}${silenceEnd(silences, until, now)} (${shown}${rest}).</p>`;
};

const MAX_REASONS = 3;

export const levelOf = (severities: readonly string[]): Level => {
  if (severities.includes('critical')) return 'bad';
  return severities.includes('warning') ? 'fair' : 'none';
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
