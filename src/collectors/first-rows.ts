// Computes the first values of published rows: their current values without the corrections since.

import type { Correction, RowValues } from '../store/publication-store.ts';
import type { HistoryRow } from './history-source.ts';

/** The longest row is a day in which clocks are set back. Corrections of a row can be that much after its start. */
export const LONGEST_ROW_MS = 26 * 60 * 60 * 1_000;

const DECIMALS = 6;

/**
 * Yields the rows with their first values. Both are ordered by time. The corrections must reach `LONGEST_ROW_MS` after
 * the last row, because a rolled-up row has the corrections of its whole period.
 */
export async function* firstRows(
  rows: AsyncIterable<HistoryRow>,
  corrections: readonly Correction[],
): AsyncGenerator<HistoryRow> {
  let next = 0;
  for await (const row of rows) {
    const ofRow: RowValues[] = [];
    for (let one = corrections[next]; one && one.at < row.end; one = corrections[next]) {
      if (one.at >= row.at) ofRow.push(one.differences);
      next += 1;
    }
    yield ofRow.length === 0 ? row : { ...row, values: firstValues(row.values, ofRow) };
  }
}

/** A value that was only corrected, from nothing, was not known at first. A row that lost all its parts has no values. */
const firstValues = (current: RowValues, corrections: readonly RowValues[]): RowValues => {
  const { length } = corrections.reduce(
    (longest, each) => (each.length > longest.length ? each : longest),
    current,
  );
  return Array.from({ length }, (_, index) => {
    const value = current[index] ?? null;
    const differences = corrections.flatMap((each) => each[index] ?? []);
    if (differences.length === 0) return value;
    return exact((value ?? 0) - differences.reduce((sum, difference) => sum + difference, 0)) || null;
  });
};

/** Money has decimals. Without the error of their subtraction, a first value is the same whenever it is computed. */
export const exact = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toFixed(DECIMALS));
