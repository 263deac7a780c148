// Decodes and encodes messages of OTLP without code of proxywatch: requests for metrics, and answers to them.

import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import type { Series } from '../../src/remote-write/series.ts';

/** The messages as OpenTelemetry and Google define them, with the fields that proxywatch must leave out as far as receivers read them. */
const { root } = protobuf.parse(
  `
  syntax = "proto3";
  message Request { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Any resource = 1; repeated ScopeMetrics scope_metrics = 2; string schema_url = 3; }
  message ScopeMetrics { Any scope = 1; repeated Metric metrics = 2; string schema_url = 3; }
  message Any {}
  message Metric {
    string name = 1; string description = 2; string unit = 3;
    oneof data { Gauge gauge = 5; Any sum = 7; }
  }
  message Gauge { repeated Point data_points = 1; }
  message Point {
    fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
    oneof value { double as_double = 4; sfixed64 as_int = 6; }
    repeated KeyValue attributes = 7; uint32 flags = 8;
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; } }

  message Response { PartialSuccess partial_success = 1; }
  message PartialSuccess { int64 rejected_data_points = 1; string error_message = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
`,
  { keepCase: true },
);

export interface OtlpMetric {
  readonly name: string;
  readonly description: string;
  readonly gauge: { readonly data_points: readonly OtlpPoint[] };
}

interface OtlpPoint {
  readonly time_unix_nano: string;
  readonly as_double: number;
  readonly attributes?: readonly {
    readonly key: string;
    readonly value: { readonly string_value: string };
  }[];
}

export interface OtlpRequest {
  readonly resource_metrics?: readonly {
    readonly scope_metrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

/** Returns the fields that the body of a request has, and no others. */
export const decodeOtlpRequest = (body: Buffer): OtlpRequest => {
  const type = root.lookupType('Request');
  return type.toObject(type.decode(gunzipSync(body)), { longs: String }) as OtlpRequest;
};

/** Returns each point as a series. */
export const decodeOtlp = (body: Buffer): Series[] =>
  (decodeOtlpRequest(body).resource_metrics ?? []).flatMap(({ scope_metrics: scopes }) =>
    scopes.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, gauge }) => gauge.data_points.map((point) => seriesOf(name, point))),
    ),
  );

const seriesOf = (
  name: string,
  { attributes = [], time_unix_nano: time, as_double: value }: OtlpPoint,
): Series => ({
  labels: [
    ['__name__', name] as const,
    ...attributes.map(({ key, value: { string_value: text } }) => [key, text] as const),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  samples: [{ at: Number(time) / 1_000_000, value }],
});

/** Encodes the answer to a request of which samples were not taken. */
export const partialSuccess = (rejected: number, message: string): Buffer =>
  encoded('Response', { partial_success: { rejected_data_points: rejected, error_message: message } });

/** Encodes the answer to a request that was not taken. */
export const status = (message: string): Buffer => encoded('Status', { code: 3, message });

const encoded = (name: string, fields: object): Buffer => {
  const type = root.lookupType(name);
  return Buffer.from(type.encode(type.fromObject(fields)).finish());
};
