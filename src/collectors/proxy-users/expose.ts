// What the store says of proxy users, as samples.

import type { SampleSink } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { SECOND } from '../../lib/time.ts';
import { shown } from '../../store/counter.ts';
import type { StoredQuota, StoredUser } from '../../store/user-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import { userFamilies } from './families.ts';
import type { ProxyUserOptions } from './options.ts';
import { QUOTA_STATES, type QuotaStanding, type QuotaState } from './quota.ts';
import { isEligible, isInTrouble, isSelected, TopUse, useOf } from './selection.ts';
import { type Standings, standingPages, userPages } from './standings.ts';

export const exposeUsers = async (
  context: ReadContext<ProxyUserOptions>,
  sink: SampleSink,
): Promise<void> => {
  const { account, options, store } = context;
  const { countedAt, storedAt } = await store.users.listing(account.name);
  if (storedAt === null) return;
  const topThreshold = await findTop(context);
  const tally = new Tally();
  let shownUsers = 0;
  let dropped = 0;
  for await (const page of standingPages(context, () => sink.drain())) {
    for (const { user, standings } of page) {
      tally.add(user, standings);
      if (!isSelected(user, options, standings, topThreshold)) continue;
      // Who is in trouble is shown beyond the cap too: alerts rest on it.
      if (shownUsers < options.max_series_users || isInTrouble(standings))
        exposeUser(user, standings, storedAt, sink);
      else dropped += 1;
      shownUsers += 1;
    }
  }
  // Half a listing counts nobody right.
  if (countedAt !== null) tally.expose(sink);
  sink.sample(seriesDropped, { collector: 'proxy_users' }, dropped);
};

const findTop = async (context: ReadContext<ProxyUserOptions>): Promise<number> => {
  const { select } = context.options;
  const top = new TopUse(select.top);
  if (select.top > 0) {
    for await (const page of userPages(context)) {
      for (const user of page) if (isEligible(user, select)) top.offer(useOf(user));
    }
  }
  return top.threshold();
};

const exposeUser = (user: StoredUser, standings: Standings, storedAt: number, sink: SampleSink): void => {
  const proxy_user_id = user.id;
  const info = {
    proxy_user_id,
    access_type: user.accessType,
    is_default: String(user.isDefault),
    is_deleted: String(user.isDeleted),
    strict_security: String(user.strictSecurity),
    enforce_https: String(user.enforceHttps),
  };
  sink.sample(userFamilies.info, info, 1);
  for (const product_type of METERED_TYPES) {
    exposeQuota(
      { proxy_user_id, product_type },
      user.quotas[product_type],
      standings[product_type],
      storedAt,
      sink,
    );
  }
};

const exposeQuota = (
  labels: { readonly proxy_user_id: string; readonly product_type: string },
  quota: StoredQuota,
  { leftBytes, exhaustedAt }: QuotaStanding,
  storedAt: number,
  sink: SampleSink,
): void => {
  sink.sample(userFamilies.limit, labels, quota.limitBytes);
  sink.sample(userFamilies.used, labels, quota.usedBytes);
  sink.sample(userFamilies.left, labels, leftBytes);
  // Who was never given a use has no usage either.
  if (quota.usedBytes !== null) sink.sample(userFamilies.usage, labels, shown(quota.usage, storedAt).value);
  sink.sample(userFamilies.exhaustion, labels, exhaustedAt && Math.round(exhaustedAt / SECOND));
};

/** Counts over all users, whether they have series of their own or not. */
class Tally {
  readonly #byAccess = new Map<string, { kept: number; deleted: number }>();
  readonly #byQuota = { residential: noneByState(), mobile: noneByState() };

  add({ accessType, isDeleted }: StoredUser, standings: Standings): void {
    const known = this.#byAccess.get(accessType);
    const counts = known ?? { kept: 0, deleted: 0 };
    if (!known) this.#byAccess.set(accessType, counts);
    counts[isDeleted ? 'deleted' : 'kept'] += 1;
    if (isDeleted) return;
    for (const type of METERED_TYPES) {
      const { state } = standings[type];
      if (state !== undefined) this.#byQuota[type][state] += 1;
    }
  }

  expose(sink: SampleSink): void {
    for (const [access_type, { kept, deleted }] of this.#byAccess) {
      sink.sample(userFamilies.users, { access_type, is_deleted: 'false' }, kept || undefined);
      sink.sample(userFamilies.users, { access_type, is_deleted: 'true' }, deleted || undefined);
    }
    for (const product_type of METERED_TYPES) {
      for (const state of QUOTA_STATES) {
        sink.sample(userFamilies.byQuota, { product_type, state }, this.#byQuota[product_type][state]);
      }
    }
  }
}

const noneByState = (): Record<QuotaState, number> => ({
  ok: 0,
  low: 0,
  soon: 0,
  exhausted: 0,
  unlimited: 0,
});
