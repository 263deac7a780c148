// residential_ledger: what was bought, what was used day by day, and what was set right.

import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { usedWith } from '../faults/discrepancies.ts';
import { services } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { draw, hashText, mix, uuid } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { TrafficBook } from '../traffic/traffic.ts';

export interface LedgerRow extends Readonly<Record<string, unknown>> {
  readonly residential_ledger_id: string;
  readonly residential_ledger_reason: string;
  readonly residential_ledger_requests: number;
  readonly residential_ledger_bytes: number;
  readonly service_id: string | null;
  readonly service_adjustment_id: number | null;
  readonly residential_ledger_period_date: string;
  readonly residential_ledger_creation_datetime: string;
  readonly residential_ledger_last_update_datetime: string;
}

interface Entry {
  readonly reason: string;
  readonly serviceId: string | null;
  readonly bytes: number;
  readonly requests: number;
  /** Instants in milliseconds. */
  readonly day: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface Writer {
  readonly scenario: Scenario;
  readonly traffic: TrafficBook;
  readonly local: LocalTime;
  /** Services with rows of their own; one null stands for the account. */
  readonly owners: readonly (string | null)[];
}

/** Returns the rows by instant, newest first: the provider writes them once a minute. */
export const ledgerRows = (scenario: Scenario, traffic: TrafficBook, local: LocalTime) => {
  const residential = services(scenario).filter(({ type }) => type === 'residential');
  const owners =
    scenario.ledger.per_service && residential.length > 0 ? residential.map(({ id }) => id) : [null];
  const writer = { scenario, traffic, local, owners };
  let written = { at: Number.NaN, rows: [] as readonly LedgerRow[] };
  return (at: number): readonly LedgerRow[] => {
    const minute = Math.floor(at / MINUTE) * MINUTE;
    if (written.at !== minute) written = { at: minute, rows: write(writer, minute) };
    return written.rows;
  };
};

const write = (writer: Writer, at: number): LedgerRow[] => {
  const entries: Entry[] = [];
  let index = 0;
  for (let day = writer.local.bucketStart('day', writer.traffic.start); day < at; index++) {
    const nextDay = writer.local.nextBucket('day', day);
    entries.push(...bookings(writer, day, index), ...usage(writer, day, nextDay, at));
    day = nextDay;
  }
  return entries
    .filter(({ createdAt }) => createdAt <= at)
    .sort((a, b) => b.createdAt - a.createdAt)
    .map((entry) => rowOf(writer, entry));
};

/** What happens once, at an instant of the day, and never changes. */
const bookings = ({ scenario, traffic, owners }: Writer, day: number, index: number): Entry[] => {
  const { ledger, seed } = scenario;
  const chance = (n: number) => draw(mix(mix(seed, hashText('ledger')), index), n);
  const booked = (reason: string, bytes: number, createdAt: number): Entry => ({
    ...{ reason, bytes, requests: 0, serviceId: owners[index % owners.length] ?? null },
    ...{ day, createdAt, updatedAt: createdAt },
  });
  const correction = Math.floor((chance(2) - 0.5) * ledger.top_up_bytes * 0.02);
  const noon = day + 10 * HOUR + Math.floor(chance(1) * 4 * HOUR);
  const entries = [
    index === 0 && booked('service_purchase', ledger.top_up_bytes, Math.max(day, traffic.start)),
    index % ledger.top_up_every_days === 1 % ledger.top_up_every_days &&
      booked('top_up', ledger.top_up_bytes, noon),
    (index + 1) % ledger.adjustment_every_days === 0 && booked('adjustment', correction, noon + HOUR),
  ];
  return entries.filter((entry) => entry !== false);
};

/** One row a day and owner; it grows during the day and follows late and revised traffic for days. */
const usage = ({ scenario, traffic, owners }: Writer, day: number, nextDay: number, at: number): Entry[] =>
  owners.flatMap((serviceId) => {
    const filter = { network: 'residential', serviceId: serviceId ?? undefined };
    const tally = traffic.sum(traffic.of(filter), day, nextDay, at);
    if (tally.requests === 0) return [];
    const used = usedWith(scenario.discrepancies, tally.bytes - tally.smartpathBytes, day);
    const bytes = scenario.ledger.usage_sign === 'negative' ? -used : used;
    const requests = tally.requests - tally.smartpathRequests;
    const updatedAt = Math.min(at, tally.changedAt);
    return [
      {
        reason: 'usage',
        serviceId,
        bytes,
        requests,
        day,
        createdAt: Math.max(day, traffic.start),
        updatedAt,
      },
    ];
  });

const rowOf = ({ scenario, local }: Writer, entry: Entry): LedgerRow => {
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
