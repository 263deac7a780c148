// Reads the users of an account and their quota statuses page by page.

import { setImmediate } from 'node:timers/promises';
import type { MeteredType } from '../../lib/product-types.ts';
import type { StoredUser } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyUserOptions } from './options.ts';
import { type QuotaRule, type QuotaStatus, quotaRuleOf, quotaStatusOf } from './quota-status.ts';

export type QuotaStatuses = Readonly<Record<MeteredType, QuotaStatus>>;

export interface UserWithStatuses {
  readonly user: StoredUser;
  readonly statuses: QuotaStatuses;
}

type Context = ReadContext<ProxyUserOptions>;

/** The users of a page are short-lived objects, of which V8 has space for a few hundred. */
const PAGE_SIZE = 100;

/** Yields users after `after` and up to `until` by page, to spare memory. It awaits `betweenPages` after each full page. */
export async function* userPages(
  { account, store }: Context,
  betweenPages: () => Promise<unknown> = () => setImmediate(),
  after = '',
  until?: string,
): AsyncGenerator<readonly StoredUser[], void, undefined> {
  for (let begin = after; ; ) {
    const page = await store.users.page(account.name, begin, PAGE_SIZE, until);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    begin = last.id;
    await betweenPages();
  }
}

export async function* userStatusPages(
  context: Context,
): AsyncGenerator<readonly UserWithStatuses[], void, undefined> {
  const rule = quotaRuleOf(context);
  const { countedAt } = await context.store.users.listing(context.account.name);
  for await (const page of userPages(context))
    yield page.map((user) => ({ user, statuses: quotaStatusesOf(user, rule, countedAt) }));
}

export const quotaStatusesOf = (
  { quotas }: StoredUser,
  rule: QuotaRule,
  listedAt: number | null,
): QuotaStatuses => ({
  residential: quotaStatusOf(quotas.residential, rule, listedAt),
  mobile: quotaStatusOf(quotas.mobile, rule, listedAt),
});
