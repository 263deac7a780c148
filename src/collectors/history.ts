// What collectors tell of the stored past, for backfill: families under names of their own, with timestamps.

import { type Family, gauge } from '../lib/family.ts';
import type { Range } from '../provider/time.ts';
import type { ReadContext } from './context.ts';

export interface HistorySample {
  readonly labels: Readonly<Record<string, string>>;
  /** Start of what the value is of (ms). */
  readonly at: number;
  /** Null, which the provider did not give, is left out. */
  readonly value: number | null;
}

export interface HistoryFamily<O = unknown> {
  readonly family: Family;
  /** What starts in the range: one series after another, each in order of time. Throws StoreError. */
  read(context: ReadContext<O>, range: Range): AsyncIterable<HistorySample>;
}

/** A gauge named and labelled like the live family, as `proxywatch_history_…`. */
export const pastOf = (live: Family, help: string): Family =>
  gauge(live.name.replace(/^proxywatch_(.*?)(_total)?$/, 'proxywatch_history_$1'), help, live.labels);
