// Defines how a collector offers its stored past: as rows of streams, for exports with timestamps.

import { type Family, gauge } from '../lib/family.ts';
import type { Range } from '../provider/time.ts';
import type { RowValues, StreamKey } from '../store/publication-store.ts';
import type { ReadContext } from './context.ts';

export interface HistoryRow {
  /** The period that the values cover (ms). Both are whole seconds. The ledger has dates, as if they were in UTC. */
  readonly at: number;
  readonly end: number;
  /** In the order of the source's families. */
  readonly values: RowValues;
}

export interface HistoryStream {
  readonly subject: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Rows that start before this time have settled: a change of one is a correction. */
  readonly settledUntil: number;
}

export interface HistoryFamily {
  readonly family: Family;
  /** Values of a sum can be corrected by differences. Others, such as averages, are written once. */
  readonly isSum: boolean;
}

export interface HistorySource<O = unknown> {
  readonly source: StreamKey['source'];
  readonly families: readonly HistoryFamily[];
  /** The length of a row (ms), if a row can disappear because all that it counts moves to other rows. */
  readonly movingPartsRowMs?: number;
  streams(context: ReadContext<O>): Promise<readonly HistoryStream[]>;
  /** Yields the current rows that start in the range, in order of time. Throws StoreError. */
  read(context: ReadContext<O>, stream: HistoryStream, range: Range): AsyncIterable<HistoryRow>;
  /** Returns the time from which the store has all rows (ms), if it is later than the retention says. */
  storedSince?(now: number): number;
  /** Returns the time of the samples of a row (ms), if it is not `at`. */
  timeOf?(context: ReadContext<O>, at: number): number;
  /** Returns the `at` of the first row whose samples are not before `time` (ms), if it is not `time`. */
  rowTimeOf?(context: ReadContext<O>, time: number): number;
}

/** Makes a gauge with the labels of the live family and the name `proxywatch_history_…`. */
export const historyGauge = (live: Family, help: string): Family =>
  gauge(live.name.replace(/^proxywatch_(.*?)(_total)?$/, 'proxywatch_history_$1'), help, live.labels);
