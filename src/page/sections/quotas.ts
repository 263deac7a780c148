// Fills the section about quotas, and the table of the proxy users that used the most bytes in the chosen range.

import { addressOf } from '../address.ts';
import type { Page, User, UserRanking, UserSummary } from '../answers.ts';
import { bindChoice, chosen, radiosOf } from '../choice.ts';
import { badge, column, type Level, minute, quiet, subjectLink, table } from '../components.ts';
import { count, dateIn } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { chosenRange, chosenRangeName } from '../range.ts';
import { hoursOf } from '../ranges.ts';
import { elementById, show } from '../show.ts';
import { itemsWithFreshness } from '../views/freshness.ts';
import { labelTables, useColumns } from '../views/label-use.ts';
import { type ProductType, QUOTA_STATES, quotaTable } from '../views/users.ts';
import { type Refresh, section } from './section.ts';

const chosenType = (): ProductType => (chosen('type') === 'mobile' ? 'mobile' : 'residential');

const ROWS = 3;

/** `onChange` is called when the reader chooses another type. Returns a function that refreshes the section. */
export const setUpQuotas = (account: string, onChange: () => void): Refresh => {
  bindChoice('type', radiosOf('type'), onChange);
  return section<Page<User>>({
    element: elementById('quota-list'),
    path: () =>
      `api/v1/users?${new URLSearchParams({ account, sort: 'urgency', product_type: chosenType(), limit: String(ROWS) })}`,
    draw: (page) =>
      itemsWithFreshness(page, 'The account has no proxy users.', (users) =>
        quotaTable(users, chosenType(), Date.now()),
      ),
  });
};

/** Counts the quotas in each state by type, with links to lists of exactly these. */
export const stateCounts = (account: string, summary: UserSummary | null): Markup => {
  const all = addressOf({ account, view: 'users', id: '' });
  const known =
    summary?.data.flatMap(({ product_type: type, states }) => (states ? [{ type, states }] : [])) ?? [];
  return html`<ul class="links">${STATES.map(([state, look]) => {
    const found = known.flatMap(({ type, states }) =>
      states[state] > 0 ? [{ type, amount: states[state] }] : [],
    );
    const links = found.map(({ type, amount }, index) => [
      index === 0 ? null : ', ',
      html`<a href="${all}&product_type=${type}&state=${state}">${count(amount)} ${type}</a>`,
    ]);
    return found.length === 0 ? null : html`<li>${badge(...look)} ${links}</li>`;
  })}</ul>`;
};

type State = keyof NonNullable<UserSummary['data'][number]['states']>;

const STATES = Object.entries({ ...QUOTA_STATES, unknown: ['none', 'Unknown'] }) as readonly (readonly [
  State,
  readonly [Level, string],
])[];

const USERS = 10;

type Row = UserRanking['data'][number];
type RankedAccount = UserRanking['accounts'][number];

/** Returns a function that refreshes the table. */
export const setUpTopUsers = (account: string): Refresh =>
  section<UserRanking>({
    element: elementById('top-users'),
    path: () => `api/v1/users/use?${new URLSearchParams({ account, limit: String(USERS), ...rankedTime() })}`,
    draw: (ranking) => {
      const labels = ranking && isKnown(ranking) ? ranking.labels : [];
      elementById('label-use').hidden = labels.length === 0;
      show(elementById('label-tables'), html`${labelTables(labels)}${ranking && period(ranking)}`);
      const noRows = isKnown(ranking)
        ? 'No proxy user used bytes in this time.'
        : 'proxywatch has stored no use of this time.';
      return html`${itemsWithFreshness(ranking, noRows, rankingTable)}${ranking && period(ranking)}`;
    },
  });

/** The API ranks users by their last hours, or by the account's whole days. A range that ends at midnight lacks that day. */
const rankedTime = (): Record<string, string> => {
  const name = chosenRangeName();
  const hours = name && hoursOf(name);
  if (hours !== null) return { hours: String(hours) };
  const { from, to } = chosenRange();
  return { from: dateOf(from), to: dateOf((to ?? Date.now()) - 1) };
};

const dateOf = (at: number): string => dateIn(at, document.body.dataset.timeZone || 'UTC');

const rankingTable = (rows: readonly Row[]): Markup =>
  table<Row>(
    'Proxy users with the most bytes',
    [
      column('Proxy user', ({ account, proxy_user_id: id }) => subjectLink(account, 'user', id)),
      ...useColumns(rows),
    ],
    rows,
  );

const isKnown = (ranking: UserRanking | null): boolean =>
  ranking?.accounts.some(({ bytes }) => bytes !== null) ?? false;

/** Says which time the ranking has, because some of it can be unknown. */
const period = ({ accounts: [found] }: UserRanking): Markup | null =>
  found === undefined ? null : html`<p>${quiet(timeOf(found))}</p>`;

const timeOf = ({ from, to, counted_days: days, counted_hours: hours, ...counted }: RankedAccount): Value => {
  if (hours === null)
    return `Days from ${from} to ${to} in the account’s time zone, of which ${days} are known.`;
  const { counted_since: since, counted_until: until } = counted;
  if (since === null || until === null) return 'No full hour of this time is known.';
  return html`${hours} known full ${hours === 1 ? 'hour' : 'hours'}, counted from ${minute(since)} to ${minute(until)}.`;
};
