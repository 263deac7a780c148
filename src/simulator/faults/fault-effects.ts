// What each fault does to an answer: in place of it, to its body, and on the wire.

import { Refusal } from '../http.ts';
import type { Fault } from './faults.ts';

type Json = unknown;
type JsonObject = Record<string, Json>;
type Rewrite = (object: JsonObject) => JsonObject;

/** Throws the Refusal that a fault puts in place of an answer. */
export const refuse = (faults: readonly Fault[]): void => {
  for (const fault of faults) {
    if (fault.kind === 'rate_limit') throw rateLimited(fault);
    if (fault.kind === 'status')
      throw new Refusal(fault.status, 'Something went wrong. Please contact support.');
  }
};

export const delayOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, fault) => sum + (fault.kind === 'slow' ? fault.delay_ms : 0), 0);

export const pageShiftOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, fault) => sum + (fault.kind === 'shifted_pages' ? fault.by : 0), 0);

/** The body of a success with the faults in it. */
export const bend = (body: Json, faults: readonly Fault[]): Json => faults.reduce(bendOnce, body);

const bendOnce = (body: Json, fault: Fault): Json => {
  switch (fault.kind) {
    case 'null_fields':
      return rewritten(body, overwrite(Object.fromEntries(fault.fields.map((name) => [name, null]))));
    case 'set_fields':
      return rewritten(body, overwrite(fault.fields));
    case 'missing_fields':
      return rewritten(body, (object) => without(object, fault.fields));
    case 'extra_fields':
      return { ...(itemsExtended(body, fault.fields) as JsonObject), ...fault.fields };
    case 'truncated_buckets':
      return withGraph(body, (graph) => ({ ...graph, intervals: bucketsOf(graph).slice(0, fault.keep) }));
    case 'absent_buckets':
      return withGraph(body, (graph) => withoutBuckets(graph, (_, index) => (index + 1) % fault.every === 0));
    case 'duplicate_buckets':
      return withGraph(body, (graph) => ({
        ...graph,
        intervals: bucketsOf(graph).flatMap((bucket, i) =>
          (i + 1) % fault.every === 0 ? [bucket, bucket] : [bucket],
        ),
      }));
    default:
      return body;
  }
};

const rateLimited = ({ tell, seconds }: Extract<Fault, { kind: 'rate_limit' }>): Refusal => {
  const wait = tell === 'message' ? `in ${seconds} seconds` : 'later';
  return new Refusal(
    429,
    `Rate limit exceeded. Please try again ${wait}.`,
    tell === 'header' ? { 'retry-after': String(seconds) } : {},
  );
};

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object of the tree rewritten, outermost first. */
const rewritten = (value: Json, rewrite: Rewrite): Json => {
  if (Array.isArray(value)) return value.map((element) => rewritten(element, rewrite));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(rewrite(value)).map(([name, inner]) => [name, rewritten(inner, rewrite)]),
  );
};

const overwrite =
  (values: JsonObject): Rewrite =>
  (object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, name in values ? values[name] : value]),
    );

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const itemsExtended = (value: Json, fields: JsonObject): Json => {
  if (Array.isArray(value)) {
    return value.map((element) => {
      const extended = itemsExtended(element, fields);
      return isObject(extended) ? { ...extended, ...fields } : extended;
    });
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, itemsExtended(inner, fields)]),
  );
};

/** Answers that carry no graph stay as they are. */
const withGraph = (body: Json, change: Rewrite): Json =>
  isObject(body) && isObject(body.data) && Array.isArray(body.data.intervals)
    ? { ...body, data: change(body.data) }
    : body;

const bucketsOf = (graph: JsonObject): JsonObject[] =>
  Array.isArray(graph.intervals) ? graph.intervals.filter(isObject) : [];

/** Takes buckets out of the rows and of the totals that are sums. */
const withoutBuckets = (
  graph: JsonObject,
  isGone: (bucket: JsonObject, index: number) => boolean,
): JsonObject => {
  const intervals = bucketsOf(graph).filter((bucket, index) => !isGone(bucket, index));
  const totals = Object.keys(graph)
    .filter((name) => name.startsWith('total_') && !name.endsWith('_log_concurrency'))
    .map((name) => [name, sum(intervals.map((bucket) => Number(bucket[name.slice('total_'.length)])))]);
  return { ...graph, intervals, ...Object.fromEntries(totals) };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
