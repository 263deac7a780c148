// Exposes proxy users and their quotas from the store as samples.

import type { SampleSink } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { SECOND } from '../../lib/time.ts';
import { shownCounter } from '../../store/counter.ts';
import type { StoredQuota, StoredUser, UserDetails } from '../../store/user-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import { MetadataLabels } from '../metadata-labels.ts';
import { userFamilies } from './families.ts';
import type { ProxyUserOptions } from './options.ts';
import { QUOTA_STATES, type QuotaState, type QuotaStatus } from './quota-status.ts';
import { hasQuotaProblem, isEligible, isSelected, TopUsage, usedBytesOf } from './selection.ts';
import { type QuotaStatuses, type UserWithStatuses, userPages, userStatusPages } from './user-pages.ts';

export const exposeUsers = async (
  context: ReadContext<ProxyUserOptions>,
  sink: SampleSink,
): Promise<void> => {
  const { account, options, store } = context;
  const { countedAt, storedAt } = await store.users.listing(account.name);
  if (storedAt === null) return;
  const topThreshold = await readTopThreshold(context);
  const counts = new UserCounts();
  const labels = new MetadataLabels(userFamilies.info, options.labels_from_metadata);
  let shownUsers = 0;
  let dropped = 0;
  for await (const page of userStatusPages(context, () => sink.drain())) {
    const metadata = await readMetadata(context, page);
    for (const { user, statuses } of page) {
      counts.add(user, statuses);
      if (!isSelected(user, options, statuses, topThreshold)) continue;
      // Users with a quota problem are shown beyond the cap too, because alerts depend on them.
      if (shownUsers < options.max_series_users || hasQuotaProblem(statuses)) {
        exposeInfo(user, metadata.get(user.id), labels, sink);
        exposeQuotas(user, statuses, storedAt, sink);
      } else dropped += 1;
      shownUsers += 1;
    }
  }
  // Counts from an incomplete listing would be wrong.
  if (countedAt !== null) counts.expose(sink);
  sink.sample(seriesDropped, { collector: 'proxy_users' }, dropped);
};

const readTopThreshold = async (context: ReadContext<ProxyUserOptions>): Promise<number> => {
  const { select } = context.options;
  const top = new TopUsage(select.top);
  if (select.top > 0) {
    for await (const page of userPages(context)) {
      for (const user of page) if (isEligible(user, select)) top.add(usedBytesOf(user));
    }
  }
  return top.threshold();
};

/** The details are read only if labels need them, because most daemons do without. */
const readMetadata = async (
  { account, options, store }: ReadContext<ProxyUserOptions>,
  page: readonly UserWithStatuses[],
): Promise<ReadonlyMap<string, UserDetails>> =>
  options.labels_from_metadata.length === 0
    ? new Map()
    : store.users.details(
        account.name,
        page.map(({ user }) => user.id),
      );

const exposeInfo = (
  user: StoredUser,
  details: UserDetails | undefined,
  labels: MetadataLabels<(typeof userFamilies.info)['labels'][number]>,
  sink: SampleSink,
): void => {
  const info = {
    proxy_user_id: user.id,
    access_type: user.accessType,
    is_default: String(user.isDefault),
    is_deleted: String(user.isDeleted),
    strict_security: String(user.strictSecurity),
    enforce_https: String(user.enforceHttps),
  };
  sink.sample(labels.family, labels.added(info, details?.metadata), 1);
};

const exposeQuotas = (
  user: StoredUser,
  statuses: QuotaStatuses,
  storedAt: number,
  sink: SampleSink,
): void => {
  const proxy_user_id = user.id;
  for (const product_type of METERED_TYPES) {
    exposeQuota(
      { proxy_user_id, product_type },
      user.quotas[product_type],
      statuses[product_type],
      storedAt,
      sink,
    );
  }
};

const exposeQuota = (
  labels: { readonly proxy_user_id: string; readonly product_type: string },
  quota: StoredQuota,
  { leftBytes, exhaustedAt }: QuotaStatus,
  storedAt: number,
  sink: SampleSink,
): void => {
  sink.sample(userFamilies.limit, labels, quota.limitBytes);
  sink.sample(userFamilies.used, labels, quota.usedBytes);
  sink.sample(userFamilies.left, labels, leftBytes);
  // A user without a known use has no usage counter either.
  if (quota.usedBytes !== null)
    sink.sample(userFamilies.usage, labels, shownCounter(quota.usage, storedAt).value);
  sink.sample(userFamilies.exhaustion, labels, exhaustedAt && Math.round(exhaustedAt / SECOND));
};

/** Counts all users, including those without series of their own. */
class UserCounts {
  readonly #byAccessType = new Map<string, { kept: number; deleted: number }>();
  readonly #byQuota = { residential: zeroByState(), mobile: zeroByState() };

  add({ accessType, isDeleted }: StoredUser, statuses: QuotaStatuses): void {
    const known = this.#byAccessType.get(accessType);
    const counts = known ?? { kept: 0, deleted: 0 };
    if (!known) this.#byAccessType.set(accessType, counts);
    counts[isDeleted ? 'deleted' : 'kept'] += 1;
    if (isDeleted) return;
    for (const type of METERED_TYPES) {
      const { state } = statuses[type];
      if (state !== undefined) this.#byQuota[type][state] += 1;
    }
  }

  expose(sink: SampleSink): void {
    for (const [access_type, { kept, deleted }] of this.#byAccessType) {
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

const zeroByState = (): Record<QuotaState, number> => ({
  ok: 0,
  low: 0,
  soon: 0,
  exhausted: 0,
  unlimited: 0,
});
