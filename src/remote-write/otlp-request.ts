// Encodes series as the body of an OTLP request for metrics: a protobuf message, compressed with gzip.

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

/**
 * Returns the body of a request. `helpOf` describes metrics. There is no resource, no scope and no unit, of which receivers
 * would make labels or parts of names. Throws if the labels of a series are not valid.
 */
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
