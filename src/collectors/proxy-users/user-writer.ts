// Writes the series of proxy users and counts the users, from the stored rows and the newest listing.

import type { SampleSink } from '../../lib/family.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { SECOND } from '../../lib/time.ts';
import { shownCounter } from '../../store/counter.ts';
import type { Listing } from '../../store/listing.ts';
import type { StoredQuota, StoredUser, UserDetails } from '../../store/user-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import { MetadataLabels } from '../metadata-labels.ts';
import { type ProxyUserOptions, userFamilies } from './options.ts';
import {
  forecastTime,
  QUOTA_STATES,
  type QuotaRule,
  type QuotaState,
  type QuotaStatus,
  quotaRuleOf,
} from './quota-status.ts';
import { hasQuotaProblem, isSelected } from './selection.ts';
import { type QuotaStatuses, quotaStatusesOf } from './user-pages.ts';

/** As what a user counts. */
export interface UserKind {
  readonly accessType: string;
  readonly isDeleted: boolean;
  readonly states: Readonly<Record<MeteredType, QuotaState | undefined>>;
  /** Whether the user is selected for series of its own, and whether the cap leaves them out. */
  readonly isSelected: boolean;
  readonly isDropped: boolean;
}

export class UserWriter {
  readonly #options: ProxyUserOptions;
  readonly #rule: QuotaRule;
  readonly #listing: Listing;
  readonly #topThreshold: number;
  readonly #labels: MetadataLabels<(typeof userFamilies.user_info)['labels'][number]>;
  readonly #sink: SampleSink;
  readonly #counts = new UserCounts();
  readonly #kinds = new Map<string, UserKind>();
  #selected = 0;
  #dropped = 0;

  /** Users with a use of at least `topThreshold` bytes are the top. */
  constructor(
    context: ReadContext<ProxyUserOptions>,
    listing: Listing,
    topThreshold: number,
    sink: SampleSink,
  ) {
    this.#options = context.options;
    this.#rule = quotaRuleOf(context);
    this.#listing = listing;
    this.#topThreshold = topThreshold;
    this.#labels = new MetadataLabels(userFamilies.user_info, context.options.labels_from_metadata);
    this.#sink = sink;
  }

  /** The number of users that can have series before the cap is reached. */
  get room(): number {
    return this.#options.max_series_users - this.#selected;
  }

  /** The details are those for labels. */
  write(user: StoredUser, details?: UserDetails) {
    const { countedAt } = this.#listing;
    const statuses = quotaStatusesOf(user, this.#rule, countedAt);
    const wasSelected = isSelected(user, this.#options, statuses, this.#topThreshold);
    // Users with a quota problem are shown beyond the cap too, because alerts depend on them.
    const isDropped = wasSelected && this.room <= 0 && !hasQuotaProblem(statuses);
    if (wasSelected && !isDropped) this.#writeSeries(user, statuses, details);
    const kind = this.#kindOf(user, statuses, wasSelected, isDropped);
    this.count(kind);
    // Whether a later run can show more of the same row, because it shows a counter that is held now.
    const isHeld = METERED_TYPES.some((type) => user.quotas[type].usage.heldUntil > this.#storedAt);
    return { kind, isHeld };
  }

  /** Counts a user. Its series were written before. */
  count(kind: UserKind): void {
    this.#counts.add(kind);
    if (kind.isSelected) this.#selected += 1;
    if (kind.isDropped) this.#dropped += 1;
  }

  /** Writes the numbers of users. Those of an incomplete listing would be wrong. */
  finish(): void {
    if (this.#listing.countedAt !== null) this.#counts.expose(this.#sink);
    this.#sink.sample(seriesDropped, { collector: 'proxy_users' }, this.#dropped);
  }

  get #storedAt(): number {
    return this.#listing.storedAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Users of the same kind share one object, because there may be 100,000 users. */
  #kindOf(
    { accessType, isDeleted }: StoredUser,
    { residential, mobile }: QuotaStatuses,
    wasSelected: boolean,
    isDropped: boolean,
  ): UserKind {
    const states = { residential: residential.state, mobile: mobile.state };
    const key = `${states.residential} ${states.mobile} ${isDeleted} ${wasSelected} ${isDropped} ${accessType}`;
    const kind = this.#kinds.get(key) ?? {
      accessType,
      isDeleted,
      states,
      isSelected: wasSelected,
      isDropped,
    };
    this.#kinds.set(key, kind);
    return kind;
  }

  #writeSeries(user: StoredUser, statuses: QuotaStatuses, details: UserDetails | undefined): void {
    const info = {
      proxy_user_id: user.id,
      access_type: user.accessType,
      is_default: String(user.isDefault),
      is_deleted: String(user.isDeleted),
      strict_security: String(user.strictSecurity),
      enforce_https: String(user.enforceHttps),
    };
    this.#sink.sample(this.#labels.family, this.#labels.added(info, details?.metadata), 1);
    for (const product_type of METERED_TYPES)
      this.#writeQuota(
        { proxy_user_id: user.id, product_type },
        user.quotas[product_type],
        statuses[product_type],
      );
  }

  #writeQuota(
    labels: { readonly proxy_user_id: string; readonly product_type: string },
    quota: StoredQuota,
    { leftBytes, lastsMs }: QuotaStatus,
  ): void {
    const sink = this.#sink;
    sink.sample(userFamilies.user_limit_bytes, labels, quota.limitBytes);
    sink.sample(userFamilies.user_used_bytes, labels, quota.usedBytes);
    sink.sample(userFamilies.user_left_bytes, labels, leftBytes);
    // A user without a known use has no usage counter either.
    if (quota.usedBytes !== null)
      sink.sample(
        userFamilies.user_usage_bytes_total,
        labels,
        shownCounter(quota.usage, this.#storedAt).value,
      );
    if (lastsMs === undefined) return;
    const exhaustedAt = forecastTime(this.#listing.countedAt ?? 0) + lastsMs;
    sink.sample(userFamilies.user_exhaustion_timestamp_seconds, labels, Math.round(exhaustedAt / SECOND));
  }
}

/** Counts users by access type and quota status, including those without series of their own. */
class UserCounts {
  readonly #byAccessType = new Map<string, { kept: number; deleted: number }>();
  readonly #byQuota = { residential: zeroByState(), mobile: zeroByState() };

  add({ accessType, isDeleted, states }: UserKind): void {
    const known = this.#byAccessType.get(accessType);
    const counts = known ?? { kept: 0, deleted: 0 };
    if (!known) this.#byAccessType.set(accessType, counts);
    counts[isDeleted ? 'deleted' : 'kept'] += 1;
    if (isDeleted) return;
    for (const type of METERED_TYPES) {
      const state = states[type];
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
        sink.sample(userFamilies.users_by_quota, { product_type, state }, this.#byQuota[product_type][state]);
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
