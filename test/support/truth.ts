// What counters should show, from the simulated account's truth, and what they do show, less what is withheld.

import { DAY } from '../../src/lib/time.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';
import type { TrafficFilter } from '../../src/simulator/traffic/slices.ts';
import type { Samples } from './samples.ts';

export interface Counted {
  readonly bytes: number;
  readonly requests: number;
}

/** Further back than any minute of a scenario changes. */
const REACH_MS = 6 * DAY;

/** Growth of a slice since an instant (ms), whenever its minutes were, but for those from `until` (ms) on. */
export const trafficGrowth = (
  { truth }: Simulator,
  filter: TrafficFilter,
  since: number,
  until: number,
): Counted => {
  const after = truth.traffic(filter, since - REACH_MS, until);
  const before = truth.traffic(filter, since - REACH_MS, until, since);
  return { bytes: after.bytes - before.bytes, requests: after.requests - before.requests };
};

/** What a graph's counters show; the whole account has no name. */
export const trafficCounted = (samples: Samples, graph: string): Counted => {
  const [group, labels] = graph === '' ? ['traffic', {}] : ['graph', { graph }];
  const net = (unit: string): number =>
    (samples.value(`proxywatch_${group}_${unit}_total`, labels) ?? Number.NaN) -
    (samples.value(`proxywatch_${group}_withheld_${unit}`, labels) ?? Number.NaN);
  return { bytes: net('bytes'), requests: net('requests') };
};

/** Bytes by reason and direction, such as `usage used`, where there are any. */
export type LedgerBytes = Readonly<Record<string, number>>;

/** Rows are added, and those of use grow and shrink during their day. */
export const ledgerGrowth = ({ truth }: Simulator, since: number): LedgerBytes => {
  const before = new Map(
    truth.ledger(since).map((row) => [row.residential_ledger_id, row.residential_ledger_bytes]),
  );
  const growth: Record<string, number> = {};
  for (const row of truth.ledger()) {
    const reason = row.residential_ledger_reason;
    const bytes = row.residential_ledger_bytes - (before.get(row.residential_ledger_id) ?? 0);
    const isUse = reason === 'usage';
    const key = `${reason} ${isUse || bytes < 0 ? 'used' : 'added'}`;
    // Use is negative in the simulator's ledger, so that its growth is a fall.
    growth[key] = (growth[key] ?? 0) + (isUse ? -bytes : Math.abs(bytes));
  }
  return withoutZeros(growth);
};

export const ledgerCounted = (samples: Samples): LedgerBytes =>
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
