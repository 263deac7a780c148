// The part on quotas: proxy users by when they run out, page by page, by state, or one of them by id.

import type { Freshness, Page, User, UserSummary } from './answers.ts';
import { bindChoice, chosen } from './choice.ts';
import { count } from './format.ts';
import type { Markup } from './html.ts';
import { PagedList } from './paged-list.ts';
import { empty } from './parts.ts';
import { part } from './show.ts';
import { withFreshness } from './views/freshness.ts';
import { type ProductType, quotaTable, STATES } from './views/quotas.ts';

const PAGE_SIZE = 15;

/**
 * `changed` is called when something else is to be shown; `freshness` says how old the users are, for an answer of one
 * user does not. What it returns asks for the newest.
 */
export const quotaPart = (
  account: string,
  changed: () => void,
  freshness: () => Freshness | undefined,
): (() => Promise<void>) => {
  const list = new PagedList<User>({
    element: part('quota-list'),
    what: 'proxy users',
    pageSize: PAGE_SIZE,
    path: () => pathOf(account),
    draw: (page) => draw(page, freshness()),
    turned: changed,
  });
  const startAgain = (): void => {
    list.reset();
    changed();
  };
  bindChoice('type', [...document.querySelectorAll<HTMLInputElement>('input[name=type]')], startAgain);
  bindChoice('state', [part<HTMLSelectElement>('state')], startAgain);
  bindChoice('user', [part<HTMLInputElement>('user')], startAgain);
  return () => list.refresh();
};

/** How many there are in each state, beside the states' names. */
export const showStateCounts = (summary: UserSummary | null): void => {
  const states = summary?.data.find((each) => each.product_type === chosenType())?.states;
  for (const option of part<HTMLSelectElement>('state').options) {
    const state = option.value as keyof typeof STATES;
    if (state in STATES)
      option.textContent = `${STATES[state][1]}${states ? ` (${count(states[state])})` : ''}`;
  }
};

const chosenType = (): ProductType => (chosen('type') === 'mobile' ? 'mobile' : 'residential');

/** Of the list, or of the one user who is looked for. */
const pathOf = (account: string): string => {
  const id = chosen('user');
  if (id) return `api/v1/accounts/${encodeURIComponent(account)}/users/${encodeURIComponent(id)}`;
  const query = new URLSearchParams({ account, sort: 'exhaustion', limit: `${PAGE_SIZE}` });
  query.set('product_type', chosenType());
  const state = chosen('state');
  if (state) query.set('state', state);
  return `api/v1/users?${query}`;
};

const noUsers = (): string => {
  const id = chosen('user');
  if (id) return `No proxy user with the id ${id} is known.`;
  return chosen('state') ? 'No proxy user is in this state.' : 'The account has no proxy users.';
};

const draw = (page: Page<User> | null, whole: Freshness | undefined): Markup => {
  const [now, users] = [Date.now(), page?.data ?? []];
  const table = () => (users.length > 0 ? quotaTable(users, chosenType(), now) : empty(noUsers()));
  return withFreshness({ known: page?.freshness?.[0] ?? whole, now, isEmpty: users.length === 0 }, table);
};
