// Reads the history of a source as it is published: the first values of its rows, and the corrections since.

import type { Range } from '../provider/time.ts';
import type { Correction, PublishedStream, RowValues } from '../store/publication-store.ts';
import type { ReadContext } from './context.ts';
import type { HistoryRow, HistorySource, HistoryStream } from './history-source.ts';

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

export interface HistorySample {
  /** A correction has the label `revision`. */
  readonly labels: Readonly<Record<string, string>>;
  /** The start of the period that the value covers (ms). */
  readonly at: number;
  readonly value: number;
}

/** A stream of a source, and what of it is published; undefined if nothing is. */
export interface PublishedHistory<O = unknown> {
  readonly source: HistorySource<O>;
  readonly context: ReadContext<O>;
  readonly stream: HistoryStream;
  readonly published: PublishedStream | undefined;
}

/** Returns the streams of a source with what of them is published. Throws StoreError. */
export const publishedHistories = async <O>(
  source: HistorySource<O>,
  context: ReadContext<O>,
): Promise<PublishedHistory<O>[]> => {
  const { account, store } = context;
  const published = new Map(
    (await store.publications.streams())
      .filter((each) => each.account === account.name && each.source === source.source)
      .map((each) => [each.subject, each]),
  );
  const streams = await source.streams(context);
  return streams.map((stream) => ({ source, context, stream, published: published.get(stream.subject) }));
};

/** Returns the corrections that the first values of rows in the range need. Throws StoreError. */
export const correctionsFor = async <O>(
  { context, published }: PublishedHistory<O>,
  { from, to }: Range,
): Promise<Correction[]> =>
  published ? context.store.publications.correctionsOf(published.id, { from, to: to + LONGEST_ROW_MS }) : [];

/** Yields the rows that start in the range, with their first values, in order of time. Throws StoreError. */
export async function* publishedRows<O>(
  { source, context, stream }: PublishedHistory<O>,
  range: Range,
  corrections: readonly Correction[],
): AsyncGenerator<HistoryRow> {
  const rows = source.read(context, stream, range);
  const { movingPartsRowMs: lengthMs } = source;
  const all = lengthMs ? withEmptiedRows(rows, corrections, { lengthMs, to: range.to }) : rows;
  yield* firstRows(all, corrections);
}

/** Returns the sample of one value of a row; undefined if the value is not known. */
export const sampleOf = <O>(
  { source, context, stream }: PublishedHistory<O>,
  { at, values }: Pick<HistoryRow, 'at' | 'values'>,
  index: number,
): HistorySample | undefined => {
  const value = values[index] ?? null;
  if (value === null) return undefined;
  // A sum without corrections is rounded too. Otherwise its first correction would change the sample that was sent.
  const sent = source.families[index]?.isSum ? exact(value) : value;
  return { labels: stream.labels, at: source.timeOf?.(context, at) ?? at, value: sent };
};

/** Returns the sample of one difference of a correction; undefined if the correction does not change this value. */
export const correctionSampleOf = <O>(
  history: PublishedHistory<O>,
  { at, revision, differences }: Pick<Correction, 'at' | 'revision' | 'differences'>,
  index: number,
): HistorySample | undefined => {
  if (!history.source.families[index]?.isSum) return undefined;
  const sample = sampleOf(history, { at, values: differences }, index);
  return sample && { ...sample, labels: { ...sample.labels, revision: String(revision) } };
};

/**
 * Yields the rows, and a row without values for each other time before `to` (ms) that has corrections. Otherwise a reader
 * would get the corrections that emptied a row, but not what the row had at first. Both are ordered by time.
 */
async function* withEmptiedRows(
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

/** The longest row is a day in which clocks are set back. Corrections of a row can be that much after its start. */
export const LONGEST_ROW_MS = 26 * 60 * 60 * 1_000;

const DECIMALS = 6;

/** Yields rows with their first values, by time. Corrections must reach `LONGEST_ROW_MS` after the last, as rows roll up. */
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
const exact = (value: number): number => (Number.isInteger(value) ? value : Number(value.toFixed(DECIMALS)));
