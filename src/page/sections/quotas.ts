// Fills the section about quotas, and the table of the proxy users that used the most bytes in the chosen range.

import { addressOf } from '../address.ts';
import type { Page, User, UserRanking, UserSummary } from '../answers.ts';
import { bindChoice, chosen } from '../choice.ts';
import { badge, column, type Level, orUnknown, quiet, subjectLink, table } from '../components.ts';
import { bytes, count, dateIn, percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { chosenRange } from '../range.ts';
import { elementById, show } from '../show.ts';
import { itemsWithFreshness } from '../views/freshness.ts';
import { labelTables } from '../views/label-use.ts';
import { bar } from '../views/uptime.ts';
import { type ProductType, QUOTA_STATES, quotaTable } from '../views/users.ts';
import { Section } from './section.ts';

const chosenType = (): ProductType => (chosen('type') === 'mobile' ? 'mobile' : 'residential');

const ROWS = 3;

/** `onChange` is called when the reader chooses another type. Returns a function that refreshes the section. */
export const setUpQuotas = (account: string, onChange: () => void): (() => Promise<void>) => {
  bindChoice('type', [...document.querySelectorAll<HTMLInputElement>('input[name=type]')], onChange);
  const list = new Section<Page<User>>({
    element: elementById('quota-list'),
    path: () =>
      `api/v1/users?${new URLSearchParams({ account, sort: 'urgency', product_type: chosenType(), limit: String(ROWS) })}`,
    draw: (page) =>
      itemsWithFreshness(page, 'The account has no proxy users.', (users) =>
        quotaTable(users, chosenType(), Date.now()),
      ),
  });
  return () => list.refresh();
};

/** Counts the quotas of both types in each state, with links to lists of these users. Only problems have a count for each type. */
export const stateCounts = (account: string, summary: UserSummary | null): Markup => {
  const all = addressOf({ account, view: 'users', id: '' });
  const known =
    summary?.data.flatMap(({ product_type: type, states }) => (states ? [{ type, states }] : [])) ?? [];
  return html`<ul class="links">${STATES.map(([state, look]) => {
    const found = known.flatMap(({ type, states }) =>
      states[state] > 0 ? [{ type, amount: states[state] }] : [],
    );
    const sum = found.reduce((total, { amount }) => total + amount, 0);
    const parts = PROBLEMS.includes(state)
      ? found.map(({ type, amount }) => [`&product_type=${type}`, `${count(amount)} ${type}`] as const)
      : [['', count(sum)] as const];
    return sum === 0
      ? null
      : html`<li>${badge(...look)} ${parts.map(([filter, text], index) => [
          index === 0 ? null : ', ',
          state === 'unknown' ? text : html`<a href="${all}${filter}&state=${state}">${text}</a>`,
        ])}</li>`;
  })}</ul>`;
};

type State = keyof NonNullable<UserSummary['data'][number]['states']>;

const PROBLEMS: readonly State[] = ['exhausted', 'soon', 'low'];

const STATES = Object.entries({ ...QUOTA_STATES, unknown: ['none', 'Unknown'] }) as readonly (readonly [
  State,
  readonly [Level, string],
])[];

const USERS = 10;

type Row = UserRanking['data'][number];

/** Returns a function that refreshes the table. */
export const setUpTopUsers = (account: string): (() => Promise<void>) => {
  const section = new Section<UserRanking>({
    element: elementById('top-users'),
    path: () => `api/v1/users/use?${new URLSearchParams({ account, limit: String(USERS), ...dates() })}`,
    draw: (ranking) => {
      const labels = ranking?.accounts.some(({ counted_days: days }) => days > 0) ? ranking.labels : [];
      elementById('label-use').hidden = labels.length === 0;
      show(elementById('label-tables'), html`${labelTables(labels)}${ranking && period(ranking)}`);
      return itemsWithFreshness(
        ranking,
        'proxywatch has stored no use of these days.',
        (rows) => html`${rankingTable(rows)}${ranking && period(ranking)}`,
      );
    },
  });
  return () => section.refresh();
};

/** The API ranks users by whole days of the account's time zone. A range that ends at midnight does not have that day. */
const dates = (): { from: string; to: string } => {
  const { from, to } = chosenRange();
  return { from: dateOf(from), to: dateOf((to ?? Date.now()) - 1) };
};

const dateOf = (at: number): string => dateIn(at, document.body.dataset.timeZone || 'UTC');

/** The bars are scaled to the largest. */
const rankingTable = (rows: readonly Row[]): Markup => {
  const largest = Math.max(...rows.map(({ share }) => share));
  return table<Row>(
    'Proxy users with the most bytes',
    [
      column('Proxy user', ({ account, proxy_user_id: id }) => subjectLink(account, 'user', id)),
      column('Residential', ({ bytes: used }) => orUnknown(used.residential, bytes), 'number'),
      column('Mobile', ({ bytes: used }) => orUnknown(used.mobile, bytes), 'number'),
      column(
        'Share of all users',
        ({ share }) =>
          html`<div class="bar-row">${bar(largest > 0 ? share / largest : 0, 'none')}<span class="bar-words">${percent(share)}</span></div>`,
        'wide',
      ),
    ],
    rows,
  );
};

/** Says which days the ranking has, because some of them can be unknown. */
const period = ({ accounts: [found] }: UserRanking): Markup | null =>
  found === undefined
    ? null
    : html`<p>${quiet(`Days from ${found.from} to ${found.to} in the account’s time zone, of which ${found.counted_days} are known.`)}</p>`;
