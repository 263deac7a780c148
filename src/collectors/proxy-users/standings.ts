// How every user of an account stands to its limits, page by page.

import { setImmediate } from 'node:timers/promises';
import type { MeteredType } from '../../lib/product-types.ts';
import type { StoredUser } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyUserOptions } from './options.ts';
import { type QuotaRule, type QuotaStanding, quotaRuleOf, standingOf } from './quota.ts';

export type Standings = Readonly<Record<MeteredType, QuotaStanding>>;

export interface UserStanding {
  readonly user: StoredUser;
  readonly standings: Standings;
}

type Context = ReadContext<ProxyUserOptions>;

const PAGE = 500;

/** All users, a page at a time, so that neither memory nor the event loop is held; `breathe` is awaited in between. */
export async function* userPages(
  { account, store }: Context,
  breathe: () => Promise<unknown> = () => setImmediate(),
): AsyncGenerator<readonly StoredUser[], void, undefined> {
  for (let after = ''; ; ) {
    const page = await store.users.page(account.name, after, PAGE);
    yield page;
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
    await breathe();
  }
}

/** The same with how they stand. */
export async function* standingPages(
  context: Context,
  breathe?: () => Promise<unknown>,
): AsyncGenerator<readonly UserStanding[], void, undefined> {
  const rule = quotaRuleOf(context);
  const { countedAt } = await context.store.users.listing(context.account.name);
  for await (const page of userPages(context, breathe))
    yield page.map((user) => ({ user, standings: standingsOf(user, rule, countedAt) }));
}

const standingsOf = ({ quotas }: StoredUser, rule: QuotaRule, listedAt: number | null): Standings => ({
  residential: standingOf(quotas.residential, rule, listedAt),
  mobile: standingOf(quotas.mobile, rule, listedAt),
});
