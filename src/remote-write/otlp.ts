// Encodes series as the body of an OTLP request for metrics, a protobuf message compressed with gzip, and reads the answers, which
// are protobuf messages too: what a receiver did not take, and why.

import { gzipSync } from 'node:zlib';
import { type Batch, inOrder, nameOf, type Series } from './series.ts';
import { BackwardWriter, checkLabels, MAX_FIELD_BYTES, maxTextBytes } from './write-request.ts';

/** The numbers of the fields in ExportMetricsServiceRequest and in the messages in it. */
const FIELD = {
  request: { resourceMetrics: 1 },
  resourceMetrics: { scopeMetrics: 2 },
  scopeMetrics: { metrics: 2 },
  metric: { name: 1, description: 2, gauge: 5 },
  gauge: { dataPoints: 1 },
  dataPoint: { time: 3, value: 4, attributes: 7 },
  attribute: { key: 1, value: 2 },
  anyValue: { text: 1 },
} as const;

type HelpOf = (name: string) => string | undefined;

/** Returns a body without resource, scope and unit, which would become labels. Throws if labels of a series are not valid. */
export const otlpRequestBody = (batch: Batch, helpOf: HelpOf): Buffer => {
  const metrics = [...Map.groupBy(batch.map(inOrder), ({ labels }) => nameOf(labels))];
  const writer = new BackwardWriter(
    metrics.reduce((bytes, metric) => bytes + maxBytesOf(metric, helpOf), FRAME),
  );
  if (metrics.length > 0)
    writer.message(FIELD.request.resourceMetrics, () =>
      writer.message(FIELD.resourceMetrics.scopeMetrics, () => {
        for (const metric of metrics.toReversed())
          writer.message(FIELD.scopeMetrics.metrics, () => writeMetric(writer, metric, helpOf));
      }),
    );
  return gzipSync(writer.written, { level: GZIP_LEVEL });
};

/** Higher levels take up to twice the CPU, and make requests smaller by a tenth at most. */
const GZIP_LEVEL = 1;

type Metric = readonly [name: string, series: readonly Series[]];

/** The most bytes of the messages around the metrics. */
const FRAME = 2 * MAX_FIELD_BYTES;

const maxBytesOf = ([name, series]: Metric, helpOf: HelpOf): number =>
  series.reduce(
    (bytes, { labels, samples }) => bytes + samples.length * (3 * MAX_FIELD_BYTES + attributesBytes(labels)),
    2 * MAX_FIELD_BYTES + maxTextBytes(name) + maxTextBytes(helpOf(name) ?? ''),
  );

const attributesBytes = (labels: Series['labels']): number =>
  labels.reduce(
    (bytes, [name, value]) => bytes + 2 * MAX_FIELD_BYTES + maxTextBytes(name) + maxTextBytes(value),
    0,
  );

/** A gauge, because each sample is the value of a period: a cumulative sum would get other values. */
const writeMetric = (writer: BackwardWriter, [name, series]: Metric, helpOf: HelpOf): void => {
  writer.message(FIELD.metric.gauge, () => {
    for (const each of series.toReversed()) writePoints(writer, each);
  });
  writer.text(FIELD.metric.description, helpOf(name) ?? '');
  writer.text(FIELD.metric.name, name);
};

/** Each point has all attributes, so they are encoded once. */
const writePoints = (writer: BackwardWriter, { labels, samples }: Series): void => {
  checkLabels(labels);
  const attributes = attributesOf(labels);
  for (const { at, value } of samples.toReversed())
    writer.message(FIELD.gauge.dataPoints, () => {
      writer.bytes(attributes);
      writer.double(FIELD.dataPoint.value, value);
      writer.fixed64(FIELD.dataPoint.time, BigInt(at) * NANOSECONDS);
    });
};

const NANOSECONDS = 1_000_000n;

const attributesOf = (labels: Series['labels']): Buffer => {
  const writer = new BackwardWriter(attributesBytes(labels));
  for (const [name, value] of labels.toReversed())
    if (name !== '__name__')
      writer.message(FIELD.dataPoint.attributes, () => {
        writer.message(FIELD.attribute.value, () => writer.text(FIELD.anyValue.text, value));
        writer.text(FIELD.attribute.key, name);
      });
  return writer.written;
};

/** The numbers of the fields in ExportMetricsServiceResponse, in ExportMetricsPartialSuccess and in google.rpc.Status. */
const ANSWER_FIELD = {
  response: { partialSuccess: 1 },
  partialSuccess: { rejected: 1, message: 2 },
  status: { message: 2 },
} as const;

/** Returns how many samples were not taken of a request that was accepted; undefined if all were. */
export const partialSuccessIn = (body: Buffer): { rejected: number; message: string } | undefined => {
  const partial = fieldsOf(body).get(ANSWER_FIELD.response.partialSuccess);
  if (!Buffer.isBuffer(partial)) return undefined;
  const fields = fieldsOf(partial);
  const rejected = Number(fields.get(ANSWER_FIELD.partialSuccess.rejected) ?? 0);
  return rejected > 0 && Number.isSafeInteger(rejected)
    ? { rejected, message: textOf(fields.get(ANSWER_FIELD.partialSuccess.message)) }
    : undefined;
};

/** Returns the reason in the answer to a request that was not accepted. */
export const messageIn = (body: Buffer): string => textOf(fieldsOf(body).get(ANSWER_FIELD.status.message));

const textOf = (value: Value | undefined): string => (Buffer.isBuffer(value) ? value.toString() : '');

type Value = Buffer | number;

/** The last value of each field counts. What is not valid, or cut off, ends the message. */
const fieldsOf = (message: Buffer): ReadonlyMap<number, Value> => {
  const fields = new Map<number, Value>();
  for (let at = 0; at < message.length; ) {
    const tag = varintAt(message, at);
    const value = valueAt(message, tag.end, tag.value % 8);
    if (!value) break;
    fields.set(Math.floor(tag.value / 8), value.value);
    at = value.end;
  }
  return fields;
};

/** The sizes of numbers that are not varints, by the type of the field. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

const valueAt = (message: Buffer, at: number, type: number): { value: Value; end: number } | undefined => {
  if (type === 0) return varintAt(message, at);
  const length = type === 2 ? varintAt(message, at) : { value: FIXED_BYTES[type] ?? Number.NaN, end: at };
  const end = length.end + length.value;
  return Number.isNaN(end) ? undefined : { value: message.subarray(length.end, end), end };
};

const varintAt = (message: Buffer, at: number): { value: number; end: number } => {
  let [value, end] = [0, at];
  for (let factor = 1; ; factor *= 128) {
    const byte = message[end] ?? 0;
    end += 1;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end };
  }
};
