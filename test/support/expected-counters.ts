// Computes expected counter growth from the simulator's truth, and reads the counters without withheld values.

import { DAY } from '../../src/lib/time.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';
import type { TrafficFilter } from '../../src/simulator/traffic/slices.ts';
import type { Samples } from './samples.ts';

export interface TrafficTotals {
  readonly bytes: number;
  readonly requests: number;
}

/** No minute of a scenario changes at a greater age than this. */
const MAX_CHANGE_AGE_MS = 6 * DAY;

/** Returns how much a slice grew since a time (ms). Minutes from `until` (ms) on are excluded. */
export const expectedTrafficGrowth = (
  { truth }: Simulator,
  filter: TrafficFilter,
  since: number,
  until: number,
): TrafficTotals => {
  const after = truth.traffic(filter, since - MAX_CHANGE_AGE_MS, until);
  const before = truth.traffic(filter, since - MAX_CHANGE_AGE_MS, until, since);
  return { bytes: after.bytes - before.bytes, requests: after.requests - before.requests };
};

/** Returns a graph's counters less withheld values. The graph of the whole account has an empty name. */
export const netTrafficCounters = (samples: Samples, graph: string): TrafficTotals => {
  const [group, labels] = graph === '' ? ['traffic', {}] : ['graph', { graph }];
  const net = (unit: string): number =>
    (samples.value(`proxywatch_${group}_${unit}_total`, labels) ?? Number.NaN) -
    (samples.value(`proxywatch_${group}_withheld_${unit}`, labels) ?? Number.NaN);
  return { bytes: net('bytes'), requests: net('requests') };
};

/** Bytes by reason and direction, such as `usage used`, without zeros. */
export type LedgerBytes = Readonly<Record<string, number>>;

/** Returns how much the ledger grew since a time (ms): by new rows, and by usage rows that change during their day. */
export const expectedLedgerGrowth = ({ truth }: Simulator, since: number): LedgerBytes => {
  const before = new Map(
    truth.ledger(since).map((row) => [row.residential_ledger_id, row.residential_ledger_bytes]),
  );
  const growth: Record<string, number> = {};
  for (const row of truth.ledger()) {
    const reason = row.residential_ledger_reason;
    const bytes = row.residential_ledger_bytes - (before.get(row.residential_ledger_id) ?? 0);
    const isUsage = reason === 'usage';
    const key = `${reason} ${isUsage || bytes < 0 ? 'used' : 'added'}`;
    // Usage is negative in the simulator's ledger, so more usage lowers the value.
    growth[key] = (growth[key] ?? 0) + (isUsage ? -bytes : Math.abs(bytes));
  }
  return withoutZeros(growth);
};

export const netLedgerCounters = (samples: Samples): LedgerBytes =>
  withoutZeros(
    Object.fromEntries(
      ['added', 'used'].flatMap((direction) => {
        const counters = samples.by('reason', `proxywatch_residential_ledger_${direction}_bytes_total`);
        const withheld = samples.by('reason', 'proxywatch_residential_ledger_withheld_bytes', { direction });
        return Object.entries(counters).map(([reason, value]) => [
          `${reason} ${direction}`,
          value - (withheld[reason] ?? Number.NaN),
        ]);
      }),
    ),
  );

const withoutZeros = (bytes: LedgerBytes): LedgerBytes =>
  Object.fromEntries(Object.entries(bytes).filter(([, value]) => value !== 0));
