// Fills the section about quotas: the number of proxy users in each state, and those whose bytes run out first.

import { addressOf } from '../address.ts';
import type { User, UserSummary } from '../answers.ts';
import { bindChoice, chosen } from '../choice.ts';
import { badge } from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { type ProductType, QUOTA_STATES, quotaTable } from '../views/users.ts';
import { setUpList } from './simple-list.ts';

const chosenType = (): ProductType => (chosen('type') === 'mobile' ? 'mobile' : 'residential');

/** `onChange` is called when the reader chooses something else. Returns a function that refreshes the section. */
export const setUpQuotas = (account: string, onChange: () => void): (() => Promise<void>) => {
  bindChoice('type', [...document.querySelectorAll<HTMLInputElement>('input[name=type]')], onChange);
  return setUpList<User>({
    id: 'quota-list',
    itemName: 'proxy users',
    path: () =>
      `api/v1/users?${new URLSearchParams({ account, sort: 'exhaustion', product_type: chosenType() })}`,
    draw: (users) => quotaTable(users, chosenType(), Date.now()),
    noItems: 'The account has no proxy users.',
    onChange,
  });
};

/** Shows how many users are in each state, with links to lists of these users. */
export const stateCounts = (account: string, summary: UserSummary | null): Markup => {
  const states = summary?.data.find((each) => each.product_type === chosenType())?.states;
  return states ? stateLinks(account, states) : html``;
};

type States = NonNullable<UserSummary['data'][number]['states']>;

const stateLinks = (account: string, states: States): Markup => {
  const all = addressOf({ account, view: 'users', id: '' });
  const links = (Object.keys(QUOTA_STATES) as (keyof typeof QUOTA_STATES)[]).filter(
    (state) => states[state] > 0,
  );
  return html`<ul class="links">${links.map(
    (state) =>
      html`<li><a href="${all}&product_type=${chosenType()}&state=${state}">${badge(...QUOTA_STATES[state])} ${count(states[state])}</a></li>`,
  )}${states.unknown > 0 ? html`<li>${badge('none', 'Unknown')} ${count(states.unknown)}</li>` : null}<li><a href="${all}">All proxy users</a></li></ul>`;
};
