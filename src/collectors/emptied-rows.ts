// Completes the rows of a source with those that were published, and whose parts have all moved to other rows.

import type { Correction } from '../store/publication-store.ts';
import type { HistoryRow } from './history-source.ts';

/**
 * Yields the rows, and a row without values for each other time before `to` (ms) that has corrections. Otherwise a reader
 * would get the corrections that emptied a row, but not what the row had at first. Both are ordered by time.
 */
export async function* withEmptiedRows(
  rows: AsyncIterable<HistoryRow>,
  corrections: readonly Correction[],
  { lengthMs, to }: { readonly lengthMs: number; readonly to: number },
): AsyncGenerator<HistoryRow> {
  const times = [...new Set(corrections.map(({ at }) => at))].filter((at) => at < to);
  const emptiedRow = (at: number): HistoryRow => ({ at, end: at + lengthMs, values: [] });
  let next = 0;
  for await (const row of rows) {
    for (let at = times[next]; at !== undefined && at <= row.at; at = times[next]) {
      if (at < row.at) yield emptiedRow(at);
      next += 1;
    }
    yield row;
  }
  yield* times.slice(next).map(emptiedRow);
}
