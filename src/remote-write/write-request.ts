// Encodes series as the body of a remote write request, version 1.0: a protobuf message, compressed with snappy. The message is
// written from its end to its start, so that the length of each nested message is known when it is written.

import snappy from 'snappyjs';
import { type Batch, inOrder, type Sample, type Series } from './series.ts';

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const MAX_VARINT_BYTES = 10;
/** A code unit of a string has at most three bytes in UTF-8. */
const MAX_CHARACTER_BYTES = 3;

/** The most bytes that a field with a number or with a nested message's tag and length takes. */
export const MAX_FIELD_BYTES = 1 + MAX_VARINT_BYTES;

export const maxTextBytes = (text: string): number => MAX_FIELD_BYTES + MAX_CHARACTER_BYTES * text.length;

export class BackwardWriter {
  readonly #bytes: Buffer;
  #start: number;

  constructor(maxBytes: number) {
    this.#bytes = Buffer.allocUnsafe(maxBytes);
    this.#start = maxBytes;
  }

  get written(): Buffer {
    return this.#bytes.subarray(this.#start);
  }

  text(field: number, text: string): void {
    const end = this.#start;
    if (!this.#ascii(text)) {
      this.#start -= Buffer.byteLength(text);
      this.#bytes.write(text, this.#start);
    }
    this.#endField(field, LENGTH_DELIMITED, end);
  }

  /** Writes a nested message. `write` writes its fields, also from the last to the first. */
  message(field: number, write: () => void): void {
    const end = this.#start;
    write();
    this.#endField(field, LENGTH_DELIMITED, end);
  }

  /** Writes positive whole numbers as one field. */
  packed(field: number, values: readonly number[]): void {
    this.message(field, () => {
      for (const value of values.toReversed()) this.#varint(value);
    });
  }

  double(field: number, value: number): void {
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
    this.#varint(field * 8 + FIXED_64);
  }

  /** Writes a positive whole number of 64 bits. */
  fixed64(field: number, value: bigint): void {
    this.#start -= 8;
    this.#bytes.writeBigUInt64LE(value, this.#start);
    this.#varint(field * 8 + FIXED_64);
  }

  /** Writes fields that are encoded already. */
  bytes(fields: Buffer): void {
    this.#start -= fields.length;
    this.#bytes.set(fields, this.#start);
  }

  /** Writes a signed whole number. */
  int64(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field * 8 + VARINT);
  }

  /** Returns false if the text has other characters. For short texts, this is faster than the functions of Buffer. */
  #ascii(text: string): boolean {
    const start = this.#start - text.length;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      this.#bytes[start + index] = code;
    }
    this.#start = start;
    return true;
  }

  #endField(field: number, type: number, end: number): void {
    this.#varint(end - this.#start);
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    if (value < 0) {
      const digits = digitsOfNegative(value);
      this.#start -= digits.length;
      this.#bytes.set(digits, this.#start);
    } else this.#positive(value);
  }

  /** Writes the digits in place: most of the message is numbers. Bitwise operators would cut a time in ms to 32 bits. */
  #positive(value: number): void {
    const last = this.#start - 1;
    for (let limit = 128; value >= limit; limit *= 128) this.#start -= 1;
    this.#start -= 1;
    let rest = value;
    for (let at = this.#start; at < last; at += 1) {
      this.#bytes[at] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[last] = rest;
  }
}

/** Protobuf writes a negative number as two's complement of 64 bits, which always takes ten bytes. */
const digitsOfNegative = (value: number): number[] => {
  const complement = BigInt.asUintN(64, BigInt(value));
  return Array.from({ length: MAX_VARINT_BYTES }, (_, index) => {
    const digit = Number((complement >> BigInt(7 * index)) & 127n);
    return index < MAX_VARINT_BYTES - 1 ? digit + 128 : digit;
  });
};

/** The numbers of the fields in prometheus.WriteRequest and in the messages in it. */
const FIELD = {
  request: { timeseries: 1 },
  timeseries: { labels: 1, samples: 2 },
  label: { name: 1, value: 2 },
  sample: { value: 1, timestamp: 2 },
} as const;

export const SAMPLE_BYTES = 3 * MAX_FIELD_BYTES;

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

export const writeSample = (writer: BackwardWriter, { at, value }: Sample): void => {
  writer.int64(FIELD.sample.timestamp, at);
  writer.double(FIELD.sample.value, value);
};

/** Prometheus answers 204 to a series without a name or with a repeated label, and does not store it. */
export const checkLabels = (labels: Series['labels']): void => {
  if (!labels.some(([name]) => name === '__name__')) throw new Error('a series has no label __name__');
  const repeated = labels.find(([name], index) => name === labels[index + 1]?.[0]);
  if (repeated) throw new Error(`a series has the label ${repeated[0]} twice`);
};
