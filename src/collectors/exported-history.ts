// Reads the published samples of one family for an export: series by series, each in order of time.

import type { Range } from '../provider/time.ts';
import type { Correction } from '../store/publication-store.ts';
import type { ReadContext } from './context.ts';
import type { HistorySource } from './history-source.ts';
import {
  correctionSampleOf,
  type HistorySample,
  type PublishedHistory,
  publishedHistories,
  publishedRows,
  sampleOf,
} from './published-history.ts';

/** Yields the samples in the range of time: those of all rows, and then the corrections. Throws StoreError. */
export async function* exportedHistory<O>(
  source: HistorySource<O>,
  index: number,
  context: ReadContext<O>,
  { from, to }: Range,
): AsyncGenerator<HistorySample> {
  const rowTime = (time: number): number => source.rowTimeOf?.(context, time) ?? time;
  const range = { from: rowTime(from), to: rowTime(to) };
  const histories = await publishedHistories(source, context);
  for (const history of histories) {
    for await (const row of publishedRows(history, range)) {
      const sample = sampleOf(history, row, index);
      if (sample) yield sample;
    }
  }
  for (const history of histories) yield* corrections(history, index, range);
}

async function* corrections<O>(
  history: PublishedHistory<O>,
  index: number,
  range: Range,
): AsyncGenerator<HistorySample> {
  const { context, published } = history;
  if (!published) return;
  const found = await context.store.publications.correctionsOf(published.id, range);
  for (const ofRevision of byRevision(found)) {
    for (const correction of ofRevision) {
      const sample = correctionSampleOf(history, correction, index);
      if (sample) yield sample;
    }
  }
}

const byRevision = (corrections: readonly Correction[]): Correction[][] =>
  [...Map.groupBy(corrections, ({ revision }) => revision)]
    .sort(([a], [b]) => a - b)
    .map(([, ofRevision]) => ofRevision);
