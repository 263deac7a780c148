// Fills the table of the proxy users that used the most bytes in the chosen range.

import type { UserRanking } from '../answers.ts';
import { emptyCell, emptyNote, quiet, subjectLink, table } from '../components.ts';
import { bytes, dateIn, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { chosenRange } from '../range.ts';
import { elementById } from '../show.ts';
import { bar } from '../views/bar.ts';
import { withFreshness } from '../views/freshness.ts';
import { Section } from './section.ts';

const USERS = 10;

type Row = UserRanking['data'][number];

/** Returns a function that refreshes the table. */
export const setUpTopUsers = (account: string): (() => Promise<void>) => {
  const section = new Section<UserRanking>({
    element: elementById('top-users'),
    path: () => `api/v1/users/use?${new URLSearchParams({ account, limit: String(USERS), ...dates() })}`,
    draw: (ranking) => {
      const rows = ranking?.data ?? [];
      const freshness = ranking?.freshness[0];
      return withFreshness({ freshness, now: Date.now(), isEmpty: rows.length === 0, isBrief: true }, () =>
        rows.length === 0
          ? emptyNote('proxywatch has stored no use of these days.')
          : html`${rankingTable(rows)}${ranking === null ? null : period(ranking)}`,
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

const rankingTable = (rows: readonly Row[]): Markup =>
  table<Row>(
    'Proxy users with the most bytes',
    [
      { name: 'Proxy user', cell: ({ account, proxy_user_id: id }) => subjectLink(account, 'user', id) },
      { name: 'Residential', cell: ({ bytes: used }) => bytesCell(used.residential), kind: 'number' },
      { name: 'Mobile', cell: ({ bytes: used }) => bytesCell(used.mobile), kind: 'number' },
      {
        name: 'Share',
        cell: ({ share }) =>
          html`<div class="bar-row">${bar(share, 'none')}<span class="bar-words">${percent(share)}</span></div>`,
        kind: 'wide',
      },
    ],
    rows,
  );

const bytesCell = (amount: number | null): Value => (amount === null ? emptyCell('unknown') : bytes(amount));

/** Says which days the ranking has, because some of them can be unknown. */
const period = ({ accounts: [found] }: UserRanking): Markup | null =>
  found === undefined
    ? null
    : html`<p>${quiet(`Days from ${found.from} to ${found.to} in the account’s time zone, of which ${found.counted_days} are known.`)}</p>`;
