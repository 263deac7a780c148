// Fills the section about quotas: proxy users by when their bytes run out, filtered by state, or one user by id.

import type { Freshness, Page, User, UserSummary } from '../answers.ts';
import { bindChoice, chosen } from '../choice.ts';
import { emptyNote } from '../components.ts';
import { count } from '../format.ts';
import type { Markup } from '../html.ts';
import { PagedList } from '../paged-list.ts';
import { elementById } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { type ProductType, QUOTA_STATES, quotaTable } from '../views/quotas.ts';

const PAGE_SIZE = 15;

/**
 * `onChange` is called when the reader chooses something else. `freshness` returns the freshness of the users, because an
 * answer with one user does not have it. Returns a function that refreshes the section.
 */
export const setUpQuotas = (
  account: string,
  onChange: () => void,
  freshness: () => Freshness | undefined,
): (() => Promise<void>) => {
  const list = new PagedList<User>({
    element: elementById('quota-list'),
    itemName: 'proxy users',
    pageSize: PAGE_SIZE,
    path: () => pathOf(account),
    draw: (page) => draw(page, freshness()),
    onPageChange: onChange,
  });
  const resetList = (): void => {
    list.reset();
    onChange();
  };
  bindChoice('type', [...document.querySelectorAll<HTMLInputElement>('input[name=type]')], resetList);
  bindChoice('state', [elementById<HTMLSelectElement>('state')], resetList);
  bindChoice('user', [elementById<HTMLInputElement>('user')], resetList);
  return () => list.refresh();
};

/** Shows the number of users in each state beside the state's name. */
export const showStateCounts = (summary: UserSummary | null): void => {
  const states = summary?.data.find((each) => each.product_type === chosenType())?.states;
  for (const option of elementById<HTMLSelectElement>('state').options) {
    const state = option.value as keyof typeof QUOTA_STATES;
    if (state in QUOTA_STATES)
      option.textContent = `${QUOTA_STATES[state][1]}${states ? ` (${count(states[state])})` : ''}`;
  }
};

const chosenType = (): ProductType => (chosen('type') === 'mobile' ? 'mobile' : 'residential');

/** Returns the path of the list, or of the user with the entered id. */
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
  if (id) return `No proxy user has the id ${id}.`;
  return chosen('state') ? 'No proxy user is in this state.' : 'The account has no proxy users.';
};

const draw = (page: Page<User> | null, listFreshness: Freshness | undefined): Markup => {
  const [now, users] = [Date.now(), page?.data ?? []];
  const table = () => (users.length > 0 ? quotaTable(users, chosenType(), now) : emptyNote(noUsers()));
  return withFreshness(
    { freshness: page?.freshness?.[0] ?? listFreshness, now, isEmpty: users.length === 0 },
    table,
  );
};
