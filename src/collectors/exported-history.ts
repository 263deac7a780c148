// Reads the published samples of one family for an export: series by series, each in order of time.

import type { Range } from '../provider/time.ts';
import type { Correction } from '../store/publication-store.ts';
import type { ReadContext } from './context.ts';
import type { HistorySource } from './history-source.ts';
import {
  correctionSampleOf,
  correctionsFor,
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
  const corrections: (readonly Correction[])[] = [];
  for (const history of histories) {
    // Read once: a correction that a daemon notes meanwhile is then a part of the first value, and not counted twice.
    const ofStream = await correctionsFor(history, range);
    corrections.push(ofStream);
    for await (const row of publishedRows(history, range, ofStream)) {
      const sample = sampleOf(history, row, index);
      if (sample) yield sample;
    }
  }
  for (const [number, history] of histories.entries())
    yield* correctionSamples(
      history,
      index,
      (corrections[number] ?? []).filter(({ at }) => at < range.to),
    );
}

function* correctionSamples<O>(
  history: PublishedHistory<O>,
  index: number,
  corrections: readonly Correction[],
): Generator<HistorySample> {
  for (const ofRevision of byRevision(corrections)) {
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
