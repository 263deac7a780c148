// Simulates the residential and the mobile ledger: purchases, usage per day and adjustments.

import type { MeteredType } from '../../lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { usedBytesWithDiscrepancies } from '../faults/outages.ts';
import { services } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PublishedTraffic } from '../traffic/published-traffic.ts';

type Name<T extends MeteredType, N extends string> = `${T}_ledger_${N}`;
export type LedgerRow<T extends MeteredType> = Readonly<
  Record<Name<T, 'id' | 'reason' | 'period_date' | 'creation_datetime' | 'last_update_datetime'>, string> &
    Record<Name<T, 'requests' | 'bytes'> | 'customer_id', number> & {
      service_id: string | null;
      service_adjustment_id: number | null;
    }
>;

interface Entry {
  readonly reason: string;
  readonly serviceId: string | null;
  readonly bytes: number;
  readonly requests: number;
  /** Start of the day. This and the other times are in milliseconds. */
  readonly day: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface LedgerContext<T extends MeteredType = MeteredType> {
  readonly type: T;
  readonly scenario: Scenario;
  readonly traffic: PublishedTraffic;
  readonly local: LocalTime;
  /** Services that have their own rows. A single null stands for the whole account. */
  readonly owners: readonly (string | null)[];
}

/** Makes the rows of both ledgers differ. */
const SEEDS = { residential: 'ledger', mobile: 'mobile ledger' };

/** Returns a function that gives the rows at a time (ms), newest first. The provider writes them once a minute. */
export const ledgerRows = <T extends MeteredType>(
  type: T,
  scenario: Scenario,
  traffic: PublishedTraffic,
  local: LocalTime,
) => {
  const own = services(scenario).filter((service) => service.type === type);
  const owners = scenario.ledger.per_service && own.length > 0 ? own.map(({ id }) => id) : [null];
  const context = { type, scenario, traffic, local, owners };
  let cached = { at: Number.NaN, rows: [] as readonly LedgerRow<T>[] };
  return (at: number): readonly LedgerRow<T>[] => {
    const minute = Math.floor(at / MINUTE) * MINUTE;
    if (cached.at !== minute) cached = { at: minute, rows: buildRows(context, minute) };
    return cached.rows;
  };
};

const buildRows = <T extends MeteredType>(context: LedgerContext<T>, at: number): LedgerRow<T>[] => {
  const entries: Entry[] = [];
  let index = 0;
  for (let day = context.local.bucketStart('day', context.traffic.start); day < at; index++) {
    const nextDay = context.local.nextBucket('day', day);
    entries.push(...fixedEntries(context, day, index), ...usageEntries(context, day, nextDay, at));
    day = nextDay;
  }
  return entries
    .filter(({ createdAt }) => createdAt <= at)
    .sort((a, b) => b.createdAt - a.createdAt)
    .map((entry) => rowOf(context, entry));
};

/** Returns the entries of a day that are made at one time and never change. */
const fixedEntries = (
  { type, scenario, traffic, owners }: LedgerContext,
  day: number,
  index: number,
): Entry[] => {
  const { ledger, seed } = scenario;
  const chance = (n: number) => draw(mix(mix(seed, hashText(SEEDS[type])), index), n);
  const entryOf = (reason: string, bytes: number, createdAt: number): Entry => ({
    ...{ reason, bytes, requests: 0, serviceId: owners[index % owners.length] ?? null },
    ...{ day, createdAt, updatedAt: createdAt },
  });
  const correction = Math.floor((chance(2) - 0.5) * ledger.top_up_bytes * 0.02);
  const noon = day + 10 * HOUR + Math.floor(chance(1) * 4 * HOUR);
  const entries = [
    index === 0 && entryOf('service_purchase', ledger.top_up_bytes, Math.max(day, traffic.start)),
    index % ledger.top_up_every_days === 1 % ledger.top_up_every_days &&
      entryOf('top_up', ledger.top_up_bytes, noon),
    (index + 1) % ledger.adjustment_every_days === 0 && entryOf('adjustment', correction, noon + HOUR),
  ];
  return entries.filter((entry) => entry !== false);
};

/** Returns one entry per day and owner, which grows during the day and follows late and revised traffic for days. */
const usageEntries = (
  { type, scenario, traffic, owners }: LedgerContext,
  day: number,
  nextDay: number,
  at: number,
): Entry[] =>
  owners.flatMap((serviceId) => {
    const filter = { network: type, serviceId: serviceId ?? undefined };
    const total = traffic.sum(traffic.select(filter), day, nextDay, at);
    if (total.requests === 0) return [];
    // Discrepancies are those of the residential ledger.
    const discrepancies = type === 'residential' ? scenario.discrepancies : [];
    const used = usedBytesWithDiscrepancies(discrepancies, total.bytes - total.smartpathBytes, day);
    const bytes = scenario.ledger.usage_sign === 'negative' ? -used : used;
    const requests = total.requests - total.smartpathRequests;
    const updatedAt = Math.min(at, total.lastChangeAt);
    const createdAt = Math.max(day, traffic.start);
    return [{ reason: 'usage', serviceId, bytes, requests, day, createdAt, updatedAt }];
  });

const rowOf = <T extends MeteredType>(
  { type, scenario, local }: LedgerContext<T>,
  entry: Entry,
): LedgerRow<T> => {
  const date = local.date(entry.day);
  return {
    [`${type}_ledger_id`]: uuid(scenario.seed, `${SEEDS[type]} ${entry.reason} ${date} ${entry.serviceId}`),
    customer_id: scenario.customer_id,
    service_id: entry.serviceId,
    service_adjustment_id: entry.reason === 'adjustment' ? 1_000 + Math.floor(entry.day / DAY) : null,
    [`${type}_ledger_reason`]: entry.reason,
    [`${type}_ledger_requests`]: entry.requests,
    [`${type}_ledger_bytes`]: entry.bytes,
    [`${type}_ledger_period_date`]: date,
    [`${type}_ledger_creation_datetime`]: local.datetime(entry.createdAt),
    [`${type}_ledger_last_update_datetime`]: local.datetime(entry.updatedAt),
  } as LedgerRow<T>;
};
