// Simulates proxy users with limits, whose used bytes follow the account's residential and mobile traffic.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import type { Changes, Differences } from '../faults/changes.ts';
import { userId, userPassword } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { memoizeByObject } from '../memoize.ts';
import { draw, hashText, mix, pick, spread } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PublishedTraffic } from '../traffic/published-traffic.ts';
import { isDeletedUser } from '../traffic/slices.ts';
import type { Item, Listing } from './search.ts';

export interface UserRow {
  /** The id of the user before any change. Graphs and recorded traffic have this id. */
  readonly firstId: string;
  readonly resetsMonthly: boolean;
  /** Share of the account's bytes, from 0 to 1. */
  readonly weight: number;
  readonly limits: Readonly<Record<MeteredType, number | null>>;
  readonly fixed: Readonly<{ proxy_user_id: string }> & Item;
}

type Used = Readonly<Record<MeteredType, number>>;

const ACCESS_TYPES = ['all', 'all', 'all', 'service_restricted', 'proxy_restricted'] as const;
const LIMIT_PERIOD = 30 * DAY;
/** Keeps the limit of a user without traffic above 0, because a limit of 0 has another meaning. */
const MIN_EXPECTED_BYTES = 1_000;
const LIVE_FIELDS = METERED_TYPES.flatMap((type) => [`proxy_user_${type}_bytes_used`, `${type}_bytes_left`]);

export class ProxyUsers implements Listing<UserRow> {
  readonly liveFields = LIVE_FIELDS;
  readonly #scenario: Scenario;
  readonly #traffic: PublishedTraffic;
  readonly #local: LocalTime;
  /** Ids of services and proxies that a restricted user can be restricted to. */
  readonly #restrictions: { services: readonly string[]; proxies: readonly string[] };
  readonly #changes: Changes;
  readonly #changed: (differences: Differences<'user'>) => readonly UserRow[];
  /** The users without any changes applied. */
  #unchangedRows: readonly UserRow[] | undefined;
  #consumed = { at: Number.NaN, total: NO_BYTES, thisMonth: NO_BYTES };

  constructor(
    scenario: Scenario,
    traffic: PublishedTraffic,
    local: LocalTime,
    restrictions: { services: readonly string[]; proxies: readonly string[] },
    changes: Changes,
  ) {
    this.#scenario = scenario;
    this.#traffic = traffic;
    this.#local = local;
    this.#restrictions = restrictions;
    this.#changes = changes;
    this.#changed = memoizeByObject((differences) => this.#withDifferences(differences));
  }

  rows(at: number): readonly UserRow[] {
    this.#unchangedRows ??= Array.from({ length: this.#scenario.users }, (_, index) => this.#row(index));
    const differences = this.#changes.at('user', at);
    return differences.size === 0 ? this.#unchangedRows : this.#changed(differences);
  }

  item(row: UserRow, at: number): Item {
    const used = this.used(row, at);
    return { ...row.fixed, ...quota('residential', row, used), ...quota('mobile', row, used) };
  }

  /** Returns used bytes, computed once a minute from the published traffic. Those of simulated proxies count at once. */
  used({ firstId, weight, resetsMonthly }: UserRow, at: number): Used {
    const { total, thisMonth } = this.#bytesConsumed(Math.floor(at / MINUTE) * MINUTE);
    const account = resetsMonthly ? thisMonth : total;
    const from = resetsMonthly ? this.#local.bucketStart('month', at) : this.#traffic.start;
    const recorded = (network: MeteredType) =>
      this.#traffic.recorded.bytes({ network, proxyUserId: firstId }, from, at);
    return {
      residential: Math.floor(account.residential * weight) + recorded('residential'),
      mobile: Math.floor(account.mobile * weight) + recorded('mobile'),
    };
  }

  #withDifferences(differences: Differences<'user'>): readonly UserRow[] {
    return (this.#unchangedRows ?? []).flatMap((row, index) => {
      const difference = differences.get(index);
      if (!difference) return [row];
      return difference.absent ? [] : [{ ...row, fixed: { ...row.fixed, ...difference.set } }];
    });
  }

  #bytesConsumed(at: number) {
    if (this.#consumed.at !== at) {
      const bytes = (network: MeteredType, from: number) =>
        this.#traffic.sumModelled(this.#traffic.select({ network }), from, at, at).bytes;
      const since = (from: number): Used => ({
        residential: bytes('residential', from),
        mobile: bytes('mobile', from),
      });
      const month = this.#local.bucketStart('month', at);
      this.#consumed = { at, total: since(this.#traffic.start), thisMonth: since(month) };
    }
    return this.#consumed;
  }

  #row(index: number): UserRow {
    const scenario = this.#scenario;
    const { low, high } = this.#traffic.slicer.userShare(index);
    const weight = high - low;
    return {
      firstId: userId(index),
      weight,
      resetsMonthly: spread(index, 0.4142135624) < scenario.monthly_reset_ratio,
      limits: {
        residential: limitOf(scenario, 'residential', weight, index),
        mobile: limitOf(scenario, 'mobile', weight, index + 3),
      },
      fixed: this.#fixed(index),
    };
  }

  #fixed(index: number): UserRow['fixed'] {
    const { seed, customer_id, deleted_user_ratio } = this.#scenario;
    const hash = mix(mix(seed, hashText('user')), index);
    const accessType = index === 0 ? 'all' : pick(hash, 1, ACCESS_TYPES);
    const createdAt = this.#traffic.start - Math.floor(draw(hash, 2) * 365) * DAY;
    const restrictedTo = (ids: readonly string[], type: string) =>
      accessType === type && ids.length > 0 ? [ids[index % ids.length]] : [];
    return {
      proxy_user_id: userId(index),
      proxy_user_password: userPassword(seed, index),
      customer_id,
      ip_address_authentications: index % 10 === 1 ? [`192.0.2.${index % 250}`] : [],
      proxy_user_ip_address_authentication_limit: 5,
      proxy_user_access_type: accessType,
      restricted_proxy_ids: restrictedTo(this.#restrictions.proxies, 'proxy_restricted'),
      restricted_service_ids: restrictedTo(this.#restrictions.services, 'service_restricted'),
      proxy_user_enforce_https: draw(hash, 3) < 0.2,
      proxy_user_is_default: index === 0,
      proxy_user_is_deleted: isDeletedUser(index, deleted_user_ratio),
      proxy_user_is_strict_security: draw(hash, 4) < 0.1,
      proxy_user_creation_datetime: this.#local.datetime(createdAt),
      proxy_user_last_update_datetime: this.#local.datetime(createdAt + Math.floor(draw(hash, 5) * DAY)),
      proxy_user_metadata: index % 3 === 0 ? { team: `team-${index % 7}` } : {},
    };
  }
}

const NO_BYTES: Used = { residential: 0, mobile: 0 };

/** Bytes left are null without a limit. Otherwise they are limit - used, which is negative if the limit is exceeded. */
const quota = (type: MeteredType, { limits }: UserRow, used: Used) => ({
  [`proxy_user_${type}_bytes_limit`]: limits[type],
  [`proxy_user_${type}_bytes_used`]: used[type],
  [`${type}_bytes_left`]: limits[type] === null ? null : limits[type] - used[type],
});

/** Limits are relative to the bytes that the user is expected to use in 30 days. */
const limitOf = (
  { limits, traffic }: Scenario,
  type: MeteredType,
  weight: number,
  index: number,
): number | null => {
  const perMinute = traffic.requests_per_minute[type] * traffic.bytes_per_request;
  const expected = Math.max(MIN_EXPECTED_BYTES, (LIMIT_PERIOD / MINUTE) * perMinute * weight);
  const place = spread(index, 0.6180339887);
  const { unlimited, zero, near, over } = limits;
  if (place < unlimited) return null;
  if (place < unlimited + zero) return 0;
  if (place < unlimited + zero + near) return Math.ceil(expected * 1.05);
  if (place < unlimited + zero + near + over) return Math.ceil(expected * 0.8);
  return Math.ceil(expected * (3 + 7 * place));
};
