// Reads the answers to OTLP requests, which are protobuf messages: what a receiver did not take, and why.

/** The numbers of the fields in ExportMetricsServiceResponse, in ExportMetricsPartialSuccess and in google.rpc.Status. */
const FIELD = {
  response: { partialSuccess: 1 },
  partialSuccess: { rejected: 1, message: 2 },
  status: { message: 2 },
} as const;

/** Returns how many samples were not taken of a request that was accepted; undefined if all were. */
export const partialSuccessIn = (body: Buffer): { rejected: number; message: string } | undefined => {
  const partial = fieldsOf(body).get(FIELD.response.partialSuccess);
  if (!Buffer.isBuffer(partial)) return undefined;
  const fields = fieldsOf(partial);
  const rejected = Number(fields.get(FIELD.partialSuccess.rejected) ?? 0);
  return rejected > 0 && Number.isSafeInteger(rejected)
    ? { rejected, message: textOf(fields.get(FIELD.partialSuccess.message)) }
    : undefined;
};

/** Returns the reason in the answer to a request that was not accepted. */
export const messageIn = (body: Buffer): string => textOf(fieldsOf(body).get(FIELD.status.message));

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
