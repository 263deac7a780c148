// Simulates the residential ledger: purchases, usage per day and adjustments.

import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { usedBytesWithDiscrepancies } from '../faults/outages.ts';
import { services } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PublishedTraffic } from '../traffic/published-traffic.ts';

export type LedgerRow = ReturnType<typeof rowOf>;

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

interface LedgerContext {
  readonly scenario: Scenario;
  readonly traffic: PublishedTraffic;
  readonly local: LocalTime;
  /** Services that have their own rows. A single null stands for the whole account. */
  readonly owners: readonly (string | null)[];
}

/** Returns a function that gives the rows at a time (ms), newest first. The provider writes them once a minute. */
export const ledgerRows = (scenario: Scenario, traffic: PublishedTraffic, local: LocalTime) => {
  const residential = services(scenario).filter(({ type }) => type === 'residential');
  const owners =
    scenario.ledger.per_service && residential.length > 0 ? residential.map(({ id }) => id) : [null];
  const context = { scenario, traffic, local, owners };
  let cached = { at: Number.NaN, rows: [] as readonly LedgerRow[] };
  return (at: number): readonly LedgerRow[] => {
    const minute = Math.floor(at / MINUTE) * MINUTE;
    if (cached.at !== minute) cached = { at: minute, rows: buildRows(context, minute) };
    return cached.rows;
  };
};

const buildRows = (context: LedgerContext, at: number): LedgerRow[] => {
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
const fixedEntries = ({ scenario, traffic, owners }: LedgerContext, day: number, index: number): Entry[] => {
  const { ledger, seed } = scenario;
  const chance = (n: number) => draw(mix(mix(seed, hashText('ledger')), index), n);
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
  { scenario, traffic, owners }: LedgerContext,
  day: number,
  nextDay: number,
  at: number,
): Entry[] =>
  owners.flatMap((serviceId) => {
    const filter = { network: 'residential', serviceId: serviceId ?? undefined };
    const total = traffic.sum(traffic.select(filter), day, nextDay, at);
    if (total.requests === 0) return [];
    const used = usedBytesWithDiscrepancies(scenario.discrepancies, total.bytes - total.smartpathBytes, day);
    const bytes = scenario.ledger.usage_sign === 'negative' ? -used : used;
    const requests = total.requests - total.smartpathRequests;
    const updatedAt = Math.min(at, total.lastChangeAt);
    const createdAt = Math.max(day, traffic.start);
    return [{ reason: 'usage', serviceId, bytes, requests, day, createdAt, updatedAt }];
  });

const rowOf = ({ scenario, local }: LedgerContext, entry: Entry) => {
  const date = local.date(entry.day);
  return {
    residential_ledger_id: uuid(scenario.seed, `ledger ${entry.reason} ${date} ${entry.serviceId}`),
    customer_id: scenario.customer_id,
    service_id: entry.serviceId,
    service_adjustment_id: entry.reason === 'adjustment' ? 1_000 + Math.floor(entry.day / DAY) : null,
    residential_ledger_reason: entry.reason,
    residential_ledger_requests: entry.requests,
    residential_ledger_bytes: entry.bytes,
    residential_ledger_period_date: date,
    residential_ledger_creation_datetime: local.datetime(entry.createdAt),
    residential_ledger_last_update_datetime: local.datetime(entry.updatedAt),
  };
};
