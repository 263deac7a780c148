// Decodes the body of a remote write request without code of proxywatch: snappy by its format, protobuf by a library.

import protobuf from 'protobufjs';
import type { Series } from '../../src/remote-write/series.ts';

/** The messages as Prometheus defines them in prompb/remote.proto and prompb/types.proto. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message WriteRequest { repeated TimeSeries timeseries = 1; }
  message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }
`);
const WRITE_REQUEST = root.lookupType('WriteRequest');

interface DecodedRequest {
  readonly timeseries: readonly {
    readonly labels: readonly { readonly name: string; readonly value: string }[];
    readonly samples: readonly { readonly value: number; readonly timestamp: number }[];
  }[];
}

export const decodeBody = (body: Buffer): Series[] => decodeMessage(uncompress(body));

export const decodeMessage = (message: Buffer): Series[] => {
  const options = { longs: Number, defaults: true, arrays: true };
  const { timeseries } = WRITE_REQUEST.toObject(WRITE_REQUEST.decode(message), options) as DecodedRequest;
  return timeseries.map(({ labels, samples }) => ({
    labels: labels.map(({ name, value }) => [name, value] as const),
    samples: samples.map(({ value, timestamp }) => ({ at: timestamp, value })),
  }));
};

/** The messages as Prometheus defines them in prompb/io/prometheus/write/v2/types.proto. */
const REQUEST_2 = protobuf
  .parse(
    `
  syntax = "proto3";
  message Request { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
  message TimeSeries { repeated uint32 labels_refs = 1; repeated Sample samples = 2; Metadata metadata = 5; }
  message Sample { double value = 1; int64 timestamp = 2; }
  message Metadata { uint32 type = 1; uint32 help_ref = 3; }
`,
    { keepCase: true },
  )
  .root.lookupType('Request');

interface DecodedRequest2 {
  readonly symbols: readonly string[];
  readonly timeseries: readonly {
    readonly labels_refs: readonly number[];
    readonly samples: DecodedRequest['timeseries'][number]['samples'];
    readonly metadata: { readonly type: number; readonly help_ref: number };
  }[];
}

type Series2 = Series & { readonly type: number; readonly help: string | undefined };

/** Decodes the body of a request in version 2.0. Throws if the first symbol is not empty. */
export const decodeBody2 = (body: Buffer): Series2[] => {
  const options = { longs: Number, defaults: true, arrays: true };
  const decoded = REQUEST_2.toObject(REQUEST_2.decode(uncompress(body)), options) as DecodedRequest2;
  const { symbols, timeseries } = decoded;
  if (symbols[0] !== '') throw new Error('the first symbol is not empty');
  return timeseries.map(({ labels_refs: refs, samples, metadata }) => ({
    labels: Array.from(
      { length: refs.length / 2 },
      (_, index) =>
        [symbols[refs[2 * index] ?? -1] ?? '?', symbols[refs[2 * index + 1] ?? -1] ?? '?'] as const,
    ),
    samples: samples.map(({ value, timestamp }) => ({ at: timestamp, value })),
    type: metadata.type,
    help: symbols[metadata.help_ref],
  }));
};

/** Reads the block format of snappy: a length, then literals and copies. Throws if the block is not valid. */
export const uncompress = (block: Buffer): Buffer => {
  let { value: length, next } = varintAt(block, 0);
  const output = Buffer.alloc(length);
  let end = 0;
  while (next < block.length) {
    const element = elementAt(block, next);
    const { size } = element;
    if (element.kind === 'literal') block.copy(output, end, element.from, element.from + size);
    // Byte by byte, because a copy may overlap what it writes.
    else
      for (let index = 0; index < size; index += 1)
        output[end + index] = byteAt(output, end + index - element.offset);
    end += size;
    next = element.next;
  }
  if (end !== length) throw new Error(`the block has ${end} bytes instead of ${length}`);
  return output;
};

const elementAt = (block: Buffer, at: number) => {
  const tag = byteAt(block, at);
  const type = tag & 3;
  if (type === 0) {
    const extra = Math.max(0, (tag >> 2) - 59);
    const size = (extra === 0 ? tag >> 2 : block.readUIntLE(at + 1, extra)) + 1;
    const from = at + 1 + extra;
    return { kind: 'literal', size, from, next: from + size } as const;
  }
  if (type === 1) {
    const offset = ((tag >> 5) << 8) + byteAt(block, at + 1);
    return { kind: 'copy', size: ((tag >> 2) & 7) + 4, offset, next: at + 2 } as const;
  }
  const bytes = type === 2 ? 2 : 4;
  return {
    kind: 'copy',
    size: (tag >> 2) + 1,
    offset: block.readUIntLE(at + 1, bytes),
    next: at + 1 + bytes,
  } as const;
};

const byteAt = (bytes: Buffer, at: number): number => bytes.readUInt8(at);

const varintAt = (bytes: Buffer, at: number): { value: number; next: number } => {
  let value = 0;
  let next = at;
  for (let factor = 1; ; factor *= 128) {
    const byte = byteAt(bytes, next);
    next += 1;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, next };
  }
};
