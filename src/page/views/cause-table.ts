// Shows what needs a person, one row for each cause: since when, whose fault, what to do first, and who was notified.

import { addressOf, type ListView, type Section, VIEWS_BY_LABEL } from '../address.ts';
import type { Silence } from '../answers.ts';
import { ago, ahead, badge, column, emptyCell, emptyNote, quiet, subjectLink, table } from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import {
  endButton,
  type SilenceScope,
  scopesOf,
  silenceButtons,
  TESTED_LABELS,
  type TestableSubject,
  testButton,
} from './action-buttons.ts';
import { CAUSES, type CauseId, causeOf, wordsOf } from './alert-words.ts';
import { linkToSubject, silenceEnd, silenceNote } from './alerts.ts';
import type { Cause } from './causes.ts';
import type { Example, Sign } from './signs.ts';

interface CauseTableOptions {
  readonly account: string;
  readonly now: number;
  /** Without them, it shows no start of a silence. */
  readonly silences?: readonly Silence[] | undefined;
}

export const causeTable = (
  causes: readonly Cause[],
  { account, now, silences = [] }: CauseTableOptions,
): Markup =>
  causes.length === 0
    ? emptyNote('No alert is firing or pending.')
    : table<Cause>(
        'What needs you, the most urgent first',
        [
          column('What', (cause) => whatOf(cause, account, silences, now)),
          column('State', stateBadge, 'state'),
          column('Since', ({ signs }) => sinceOf(signs, now)),
          column('Whose fault', ({ id }) => CAUSES[id].fault),
          column('Next', ({ id }) => capitalized(CAUSES[id].next), 'wide'),
          column('Notified', ({ signs }) => notifiedOf(signs, now)),
          column('Act', actsOf),
        ],
        causes,
      );

export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Returns the words of a cause. Each sign links to its subject, or to the page of the alert if it has several. */
export const titleOf = ({ signs }: Pick<Cause, 'signs'>, account: string): Value =>
  signs.map((sign, index) => {
    const words = wordsOf(sign.alert, sign.count);
    return [index === 0 ? null : ', ', linkOf(sign, account, index === 0 ? capitalized(words) : words)];
  });

const linkOf = (sign: Sign, account: string, text: string): Value => {
  const [example] = sign.examples;
  const subject = example && sign.count === 1 ? linkToSubject(example, text) : text;
  if (subject !== text) return subject;
  if (sign.group) return alertLink(sign, text);
  const list = LISTS[sign.alert];
  const address = list
    ? html`${addressOf({ account, view: list[0], id: '' })}&${list[1]}`
    : `#${SECTIONS_OF[causeOf(sign.alert)] ?? 'collectors'}`;
  return html`<a href="${address}">${text}</a>`;
};

/** The lists with the subjects of verdicts. */
const LISTS: Readonly<Record<string, readonly [ListView, filter: string]>> = {
  ProxyFailing: ['proxies', 'fault=true'],
  ProxyUserQuotaExhausted: ['users', 'state=exhausted'],
  ProxyUserQuotaLow: ['users', 'state=low'],
  ProxyUserQuotaExhaustionSoon: ['users', 'state=soon'],
};

/** The sections of the overview with the subjects of other verdicts. */
const SECTIONS_OF: Readonly<Partial<Record<CauseId, Section>>> = {
  ...{ balance: 'balance', mobileBalance: 'mobile-balance', services: 'market' },
  ...{ targets: 'tests', testers: 'tests', here: 'tests', provider: 'tests' },
};

const alertLink = ({ alert, examples: [first] }: Sign, text: string): Markup =>
  subjectLink(first?.labels.account ?? '', 'alert', alert, text);

const whatOf = (
  { signs, deadline, id, state }: Cause,
  account: string,
  silences: readonly Silence[],
  now: number,
): Markup => html`${titleOf({ signs }, account)}
${silencedBy(signs, silences, now)}${detailsOf(`${id} ${state}`, signs, deadline && html`, paid until ${ahead(deadline, now)}`)}`;

const silencesIn = (signs: readonly Sign[]) =>
  signs.flatMap(({ examples }) => examples.flatMap(({ silenced_by: by = [] }) => by));

/** Says who silenced the alerts, since when and until when. Silences with one comment were made together. */
const silencedBy = (signs: readonly Sign[], silences: readonly Silence[], now: number): Value => {
  const ids = new Set(silencesIn(signs).map(({ silence }) => silence));
  const known = silences.filter(({ state, id }) => state === 'active' && ids.has(id));
  if (known.length === 0) return signs.map(({ group }) => group && silenceNote(group, now));
  return [...Map.groupBy(known, ({ comment }) => comment).values()].map(([first, ...others]) =>
    first === undefined
      ? null
      : html`<p class="quiet">${first.comment}, since ${ago(first.starts_at, now)}, ${silenceEnd([first], first.ends_at, now)} ${endButton(
          [first, ...others].map(({ id }) => id),
          first.comment,
        )}</p>`,
  );
};

/** Silences the subjects of the alerts, or the alert of all subjects if there are too many to know. */
const silencesOf = (sign: Sign): SilenceScope[] => {
  if (!sign.group) return [];
  const open = sign.examples.filter(({ silenced_by: by = [] }) => by.length === 0);
  const scopes = scopesOf(sign.alert, open);
  return isForAll(sign) ? scopes.slice(0, 1).map(({ subject: _, ...all }) => all) : scopes;
};

const isForAll = ({ group, count: alerts, examples }: Sign): boolean =>
  group !== null && alerts > examples.length;

const actsOf = (cause: Cause): Value => {
  const open = cause.state === 'silenced' ? [] : cause.signs.filter((sign) => silencesOf(sign).length > 0);
  const scopes = open.flatMap(silencesOf);
  const words = capitalized(open.map((sign) => wordsOf(sign.alert, sign.count)).join(', '));
  const tested = testedIn(cause);
  const about = open.some(isForAll) ? `${words} (all subjects of these alerts)` : words;
  if (scopes.length > 0) return silenceButtons(scopes, about, tested);
  return tested ? html`<span class="acts script-only">${testButton(tested)}</span>` : emptyCell();
};

/** Returns the only subject of the cause; null if it has several, or if its subject is not tested. */
const testedIn = ({ signs }: Cause): TestableSubject | null => {
  const [sign, ...others] = signs;
  const labels = sign?.count === 1 && others.length === 0 ? (sign.examples[0]?.labels ?? {}) : {};
  const [tested] = Object.entries(TESTED_LABELS).flatMap(([label, kind]) => {
    const id = labels[label];
    return id ? [{ kind, id }] : [];
  });
  return tested ?? null;
};

const MAX_NAMES = 3;

/** Names the first subjects. The names open what the alerts say about each. Each cause has its own key. */
const detailsOf = (key: string, signs: readonly Sign[], end: Value): Markup | null => {
  const examples = signs.flatMap((sign) => sign.examples);
  if (examples.length === 0) return null;
  const names = [...new Set(examples.map(nameOf))];
  // Several alerts can have the same subject.
  const total = signs.reduce((sum, sign) => sum + sign.count, names.length - examples.length);
  const shown = names.slice(0, MAX_NAMES);
  const rest = total > shown.length ? ` and ${count(total - shown.length)} more` : '';
  return html`<details data-key="${key}"><summary>${shown.join(', ')}${rest}${end}</summary>
<ul>${signs.map(summariesOf)}</ul></details>`;
};

/** Returns the subject of an alert; what has none is about the account, or about the daemon itself. */
const nameOf = ({ labels }: Example): string => {
  const { account = 'proxywatch', ...others } = labels;
  const label = Object.keys(VIEWS_BY_LABEL).find((name) => labels[name]);
  return (label === undefined ? Object.values(others).join(' ') : labels[label]) || account;
};

const summariesOf = (sign: Sign): Value => {
  const { examples, group } = sign;
  const missing = sign.count - examples.length;
  const runbook = examples[0]?.runbook ?? null;
  return [
    group &&
      html`<li>${alertLink(sign, sign.alert)}${runbook === null ? null : html` <a href="${runbook}">Runbook</a>`}</li>`,
    examples.map((each) => html`<li>${linkToSubject(each, each.summary || nameOf(each))}</li>`),
    group && missing > 0 ? html`<li>${alertLink(sign, `${count(missing)} more`)}</li>` : null,
  ];
};

const LEVEL_NAMES = { bad: 'Urgent', fair: 'Warning', none: 'Notice', good: 'OK' } as const;

const stateBadge = ({ state, level, signs }: Cause): Markup => {
  if (state === 'firing') return badge(level, LEVEL_NAMES[level]);
  const isTaken = ({ silenced_by: by = [] }: Example) => by.some((silence) => silence.until_resolved);
  if (signs.every(({ examples }) => examples.every(isTaken))) return badge('none', 'In work');
  return badge('none', state === 'pending' ? 'Pending' : 'Silenced');
};

const sinceOf = (signs: readonly Sign[], now: number): Value => {
  const [since] = signs.flatMap((sign) => sign.since ?? []).sort();
  return since === undefined ? emptyCell('unknown') : ago(since, now);
};

type Notified = NonNullable<Sign['receivers']>[number];

const STATUSES: Readonly<Record<Notified['status'], string>> = {
  notified: '',
  waiting: 'waits',
  kept_back: 'kept back',
  filtered: 'filtered',
  delivery_failing: 'fails',
  given_up: 'given up',
  no_alerts: 'gets no alerts',
};

/** Of several signs, it shows for each receiver the one of which it was notified. */
const notifiedOf = (signs: readonly Sign[], now: number): Value => {
  const all = signs.flatMap(({ receivers }) => receivers ?? []);
  const notified = new Map(all.map((each) => [each.receiver, each]));
  for (const each of all) if (each.status === 'notified') notified.set(each.receiver, each);
  if (notified.size === 0)
    return html`<span class="quiet" title="${signs.some(({ group }) => group) ? 'The configuration has no receiver' : 'No alert reports this'}">nobody</span>`;
  return [...notified.values()].map(({ receiver, status, notified_at: at }, index) => [
    index === 0 ? null : ', ',
    html`<span class="nowrap">${receiver} ${quiet(at === null ? STATUSES[status] : ago(at, now))}</span>`,
  ]);
};
