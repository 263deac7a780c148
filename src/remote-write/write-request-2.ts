// Encodes series as the body of a remote write request, version 2.0: all texts are in one table, and series refer to it.

import snappy from 'snappyjs';
import { type Batch, inOrder, nameOf, type Series } from './series.ts';
import {
  BackwardWriter,
  checkLabels,
  MAX_FIELD_BYTES,
  maxTextBytes,
  SAMPLE_BYTES,
  writeSample,
} from './write-request.ts';

/** The numbers of the fields in io.prometheus.write.v2.Request and in the messages in it. */
const FIELD = {
  request: { symbols: 4, timeseries: 5 },
  timeseries: { labelsRefs: 1, samples: 2, metadata: 5 },
  metadata: { type: 1, helpRef: 3 },
} as const;

/** The history has gauges only, which have no start time. */
const GAUGE = 2;

type HelpOf = (name: string) => string | undefined;

/** Returns the body of a request. `helpOf` describes metrics. Throws if the labels of a series are not valid. */
export const writeRequest2Body = (batch: Batch, helpOf: HelpOf): Buffer => {
  const ordered = batch.map(inOrder);
  const symbols = symbolsOf(ordered, helpOf);
  const writer = new BackwardWriter(maxBytesOf(ordered, symbols));
  for (const series of ordered.toReversed())
    writer.message(FIELD.request.timeseries, () => writeSeries(writer, series, symbols, helpOf));
  for (const symbol of [...symbols.keys()].toReversed()) writer.text(FIELD.request.symbols, symbol);
  return snappy.compress(writer.written);
};

type Symbols = ReadonlyMap<string, number>;

/** Returns the number of each text. The first is the empty one, which the protocol demands. */
const symbolsOf = (batch: Batch, helpOf: HelpOf): Symbols => {
  const texts = batch.flatMap(({ labels }) => [...labels.flat(), helpOf(nameOf(labels)) ?? '']);
  return new Map([...new Set(['', ...texts])].map((text, index) => [text, index]));
};

const maxBytesOf = (batch: Batch, symbols: Symbols): number =>
  [...symbols.keys()].reduce((bytes, text) => bytes + maxTextBytes(text), 0) +
  batch.reduce(
    (bytes, { labels, samples }) =>
      bytes + MAX_FIELD_BYTES * (5 + 2 * labels.length) + samples.length * SAMPLE_BYTES,
    0,
  );

const writeSeries = (
  writer: BackwardWriter,
  { labels, samples }: Series,
  symbols: Symbols,
  helpOf: HelpOf,
): void => {
  checkLabels(labels);
  const refOf = (text: string): number => symbols.get(text) ?? 0;
  writer.message(FIELD.timeseries.metadata, () => {
    writer.int64(FIELD.metadata.helpRef, refOf(helpOf(nameOf(labels)) ?? ''));
    writer.int64(FIELD.metadata.type, GAUGE);
  });
  for (const sample of samples.toReversed())
    writer.message(FIELD.timeseries.samples, () => writeSample(writer, sample));
  writer.packed(FIELD.timeseries.labelsRefs, labels.flat().map(refOf));
};
