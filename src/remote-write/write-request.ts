// Encodes series as the body of a remote write request, version 1.0: a protobuf message, compressed with snappy.

import snappy from 'snappyjs';
import { BackwardWriter, MAX_FIELD_BYTES, maxTextBytes } from './backward-writer.ts';
import { type Batch, inOrder, type Sample, type Series } from './series.ts';

/** The numbers of the fields in prometheus.WriteRequest and in the messages in it. */
const FIELD = {
  request: { timeseries: 1 },
  timeseries: { labels: 1, samples: 2 },
  label: { name: 1, value: 2 },
  sample: { value: 1, timestamp: 2 },
} as const;

const SAMPLE_BYTES = 3 * MAX_FIELD_BYTES;

/** Returns the body of a request. Throws if the labels of a series are not valid. */
export const writeRequestBody = (batch: Batch): Buffer => snappy.compress(encodeWriteRequest(batch));

/** Returns the message before the compression. */
export const encodeWriteRequest = (batch: Batch): Buffer => {
  const ordered = batch.map(inOrder);
  const writer = new BackwardWriter(ordered.reduce((bytes, series) => bytes + maxBytesOf(series), 0));
  for (const series of ordered.toReversed())
    writer.message(FIELD.request.timeseries, () => writeSeries(writer, series));
  return writer.written;
};

const maxBytesOf = ({ labels, samples }: Series): number =>
  labels.reduce(
    (bytes, [name, value]) => bytes + MAX_FIELD_BYTES + maxTextBytes(name) + maxTextBytes(value),
    MAX_FIELD_BYTES + samples.length * SAMPLE_BYTES,
  );

const writeSeries = (writer: BackwardWriter, { labels, samples }: Series): void => {
  checkLabels(labels);
  for (const sample of samples.toReversed())
    writer.message(FIELD.timeseries.samples, () => writeSample(writer, sample));
  for (const [name, value] of labels.toReversed())
    writer.message(FIELD.timeseries.labels, () => {
      writer.text(FIELD.label.value, value);
      writer.text(FIELD.label.name, name);
    });
};

const writeSample = (writer: BackwardWriter, { at, value }: Sample): void => {
  writer.int64(FIELD.sample.timestamp, at);
  writer.double(FIELD.sample.value, value);
};

/** Prometheus answers 204 to a series without a name or with a repeated label, and does not store it. */
const checkLabels = (labels: Series['labels']): void => {
  if (!labels.some(([name]) => name === '__name__')) throw new Error('a series has no label __name__');
  const repeated = labels.find(([name], index) => name === labels[index + 1]?.[0]);
  if (repeated) throw new Error(`a series has the label ${repeated[0]} twice`);
};
