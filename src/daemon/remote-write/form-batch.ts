// Forms the next batch for a receiver: first values of rows from its positions on, and then corrections.

import { setImmediate } from 'node:timers/promises';
import type { HistoryRow } from '../../collectors/history-source.ts';
import {
  correctionSampleOf,
  correctionsFor,
  type HistorySample,
  publishedRows,
  sampleOf,
} from '../../collectors/published-history.ts';
import { labelValue } from '../../lib/family.ts';
import { DAY } from '../../lib/time.ts';
import type { Batch, Sample, Series } from '../../remote-write/series.ts';
import type {
  Correction,
  PublicationStore,
  ReceiverPosition,
  ReceiverStart,
  ReceiverState,
} from '../../store/publication-store.ts';
import type { SentHistory } from './histories.ts';

/** The position behind nothing, which moves no stream. */
export const NOWHERE: ReceiverPosition = { streams: new Map(), correction: 0 };

/** Returns the position behind both. Streams of the second count. */
export const later = (one: ReceiverPosition, other: ReceiverPosition): ReceiverPosition => ({
  streams: new Map([...one.streams, ...other.streams]),
  correction: Math.max(one.correction, other.correction),
});

/** A batch never needs more, and years of history would be in memory at once otherwise. */
const WINDOW_MS = 31 * DAY;

type Progress = Pick<ReceiverState, 'start' | 'starts' | 'position'>;

/**
 * Returns a batch without samples if the receiver has everything. Throws StoreError. First values are computed from rows
 * and corrections, which are read one after another, so a batch is formed again if either changed in between. Rejects with
 * the signal's reason.
 */
export const formBatch = async (
  histories: readonly SentHistory[],
  receiver: Progress,
  publications: PublicationStore,
  externalLabels: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => {
  for (;;) {
    signal.throwIfAborted();
    const before = await publications.version();
    const builder = new BatchBuilder(externalLabels);
    const streams = new Map<number, number>();
    for (const history of histories) {
      if (builder.isFull) break;
      const reached = await addRows(builder, history, receiver);
      if (reached !== undefined) streams.set(history.published.id, reached);
      await setImmediate();
    }
    // Values of corrections behind the position whose history is not configured any more, so they are in no batch.
    const { newest, expired } = await addCorrections(builder, histories, receiver, publications);
    if ((await publications.version()) !== before) continue;
    // The receiver's position after the batch. Only streams that it moves.
    const next: ReceiverPosition = { streams, correction: newest };
    return { batch: builder.batch, samples: builder.count, expired, next };
  }
};

/** Returns the start of the first row that is not in the batch; undefined if there is no row to send. */
const addRows = async (
  builder: BatchBuilder,
  history: SentHistory,
  receiver: Progress,
): Promise<number | undefined> => {
  const { id } = history.published;
  // While published rows are read again, for example after a change of the time zone, the store lacks them for a while.
  const until = Math.min(history.published.until, history.stream.settledUntil);
  // Positions in the ledger can be up to a day before the first row: see restartStreams.
  const first = firstRowAt(history, receiver);
  const from = Math.max(receiver.position.streams.get(id) ?? first, first);
  if (from >= until) return undefined;
  for (let begin = from; begin < until; begin += WINDOW_MS) {
    const end = Math.min(until, begin + WINDOW_MS);
    const range = { from: begin, to: end };
    for await (const row of publishedRows(history, range, await correctionsFor(history, range))) {
      if (builder.isFull) return row.at;
      addRow(builder, history, row);
    }
  }
  return until;
};

const addRow = (builder: BatchBuilder, history: SentHistory, row: HistoryRow): void => {
  for (const index of history.source.families.keys()) {
    const sample = sampleOf(history, row, index);
    if (sample) builder.add(history, index, sample);
  }
};

/**
 * Returns the newest correction that the batch has, or that is none for this receiver. A correction whose history is not
 * configured has no labels. To wait for its return would delay all other corrections.
 */
const addCorrections = async (
  builder: BatchBuilder,
  histories: readonly SentHistory[],
  receiver: Progress,
  publications: PublicationStore,
): Promise<{ readonly newest: number; readonly expired: number }> => {
  let [newest, expired] = [receiver.position.correction, 0];
  if (builder.isFull) return { newest, expired };
  const byStream = new Map(histories.map((history) => [history.published.id, history]));
  for await (const correction of correctionsAfter(publications, newest)) {
    if (builder.isFull) break;
    newest = correction.sequence;
    const history = byStream.get(correction.stream);
    if (!history && correction.at >= (receiver.starts.get(correction.stream) ?? receiver.start))
      expired += correction.differences.filter((difference) => difference !== null).length;
    if (!history || correction.at < firstRowAt(history, receiver)) continue;
    for (const index of history.source.families.keys()) {
      const sample = correctionSampleOf(history, correction, index);
      if (sample) builder.add(history, index, sample);
    }
  }
  return { newest, expired };
};

/** Yields all corrections page by page. Many in a row can have no sample, such as those before the receiver's start. */
async function* correctionsAfter(
  publications: PublicationStore,
  sequence: number,
): AsyncGenerator<Correction> {
  for (let last: number | undefined = sequence; last !== undefined; ) {
    const page: readonly Correction[] = await publications.correctionsAfter(last, MAX_SAMPLES);
    yield* page;
    last = page.at(-1)?.sequence;
    await setImmediate();
  }
}

/** Returns the time of the first row that the receiver gets of the history. */
export const firstRowAt = (
  { source, context, published }: SentHistory,
  { start, starts }: ReceiverStart,
): number => {
  const time = starts.get(published.id) ?? start;
  return source.rowTimeOf?.(context, time) ?? time;
};

/** The most samples of a batch. Prometheus sends as many by default. */
export const MAX_SAMPLES = 5_000;

/** The most samples that one row or correction has. */
const ROOM = 20;

/** Whether more samples may wait than a batch with so many has. */
export const isFull = (samples: number): boolean => samples > MAX_SAMPLES - ROOM;

class BatchBuilder {
  readonly #externalLabels: Readonly<Record<string, string>>;
  readonly #series = new Map<string, { readonly labels: Series['labels']; readonly samples: Sample[] }>();
  count = 0;

  constructor(externalLabels: Readonly<Record<string, string>>) {
    this.#externalLabels = externalLabels;
  }

  /** Whether another row may have more samples than fit. */
  get isFull(): boolean {
    return isFull(this.count);
  }

  get batch(): Batch {
    return [...this.#series.values()];
  }

  add({ source, context }: SentHistory, index: number, { labels, at, value }: HistorySample): void {
    const name = source.families[index]?.family.name ?? '';
    const { name: account } = context.account;
    const key = JSON.stringify([name, account, labels]);
    const series = this.#series.get(key) ?? {
      labels: Object.entries({ ...this.#externalLabels, ...labels, __name__: name, account }).map(
        ([label, text]) => [label, labelValue(text)],
      ),
      samples: [],
    };
    series.samples.push({ at, value });
    this.#series.set(key, series);
    this.count += 1;
  }
}

export const bodyOf = (batch: Batch): Uint8Array => Buffer.from(JSON.stringify(batch));

export const batchOf = (body: Uint8Array): Batch => JSON.parse(Buffer.from(body).toString());
