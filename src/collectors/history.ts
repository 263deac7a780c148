// Defines the families of stored history for backfill: they have names of their own, and their samples have timestamps.

import { type Family, gauge } from '../lib/family.ts';
import type { Range } from '../provider/time.ts';
import type { ReadContext } from './context.ts';

export interface HistorySample {
  readonly labels: Readonly<Record<string, string>>;
  /** The start of the period that the value covers (ms). */
  readonly at: number;
  /** Null if the provider did not give the value; such a sample is left out. */
  readonly value: number | null;
}

export interface HistoryFamily<O = unknown> {
  readonly family: Family;
  /** Yields the samples that start in the range, series by series, each in order of time. Throws StoreError. */
  read(context: ReadContext<O>, range: Range): AsyncIterable<HistorySample>;
}

/** Makes a gauge with the labels of the live family and the name `proxywatch_history_…`. */
export const historyGauge = (live: Family, help: string): Family =>
  gauge(live.name.replace(/^proxywatch_(.*?)(_total)?$/, 'proxywatch_history_$1'), help, live.labels);
