// Applies faults to an answer: they replace it, change its body, delay it or shift its pages.

import { HttpError } from '../http.ts';
import type { Fault } from './faults.ts';

type Json = unknown;
type JsonObject = Record<string, Json>;
type Rewrite = (object: JsonObject) => JsonObject;

/** Throws the HttpError of the first fault that replaces the answer, if there is one. */
export const throwErrorFault = (faults: readonly Fault[]): void => {
  for (const fault of faults) {
    if (fault.kind === 'rate_limit') throw rateLimitError(fault);
    if (fault.kind === 'status')
      throw new HttpError(fault.status, 'Something went wrong. Please contact support.');
  }
};

export const delayOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, fault) => sum + (fault.kind === 'slow' ? fault.delay_ms : 0), 0);

export const pageShiftOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, fault) => sum + (fault.kind === 'shifted_pages' ? fault.by : 0), 0);

/** Returns the body of a successful answer, changed by the faults. */
export const applyBodyFaults = (body: Json, faults: readonly Fault[]): Json =>
  faults.reduce(applyBodyFault, body);

const applyBodyFault = (body: Json, fault: Fault): Json => {
  switch (fault.kind) {
    case 'null_fields':
      return rewriteObjects(body, overwrite(Object.fromEntries(fault.fields.map((name) => [name, null]))));
    case 'set_fields':
      return rewriteObjects(body, overwrite(fault.fields));
    case 'missing_fields':
      return rewriteObjects(body, (object) =>
        Object.fromEntries(Object.entries(object).filter(([name]) => !fault.fields.includes(name))),
      );
    case 'extra_fields':
      return { ...(extendItems(body, fault.fields) as JsonObject), ...fault.fields };
    case 'truncated_buckets':
      return updateGraph(body, (graph) => ({ ...graph, intervals: bucketsOf(graph).slice(0, fault.keep) }));
    case 'absent_buckets':
      return updateGraph(body, (graph) =>
        withoutBuckets(graph, (_, index) => (index + 1) % fault.every === 0),
      );
    case 'duplicate_buckets':
      return updateGraph(body, (graph) => ({
        ...graph,
        intervals: bucketsOf(graph).flatMap((bucket, i) =>
          (i + 1) % fault.every === 0 ? [bucket, bucket] : [bucket],
        ),
      }));
    default:
      return body;
  }
};

const rateLimitError = ({ tell, seconds }: Extract<Fault, { kind: 'rate_limit' }>): HttpError => {
  const wait = tell === 'message' ? `in ${seconds} seconds` : 'later';
  return new HttpError(
    429,
    `Rate limit exceeded. Please try again ${wait}.`,
    tell === 'header' ? { 'retry-after': String(seconds) } : {},
  );
};

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Rewrites every object of the tree, the outermost first. */
const rewriteObjects = (value: Json, rewrite: Rewrite): Json => {
  if (Array.isArray(value)) return value.map((element) => rewriteObjects(element, rewrite));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(rewrite(value)).map(([name, inner]) => [name, rewriteObjects(inner, rewrite)]),
  );
};

const overwrite =
  (values: JsonObject): Rewrite =>
  (object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, name in values ? values[name] : value]),
    );

const extendItems = (value: Json, fields: JsonObject): Json => {
  if (Array.isArray(value)) {
    return value.map((element) => {
      const extended = extendItems(element, fields);
      return isObject(extended) ? { ...extended, ...fields } : extended;
    });
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, extendItems(inner, fields)]));
};

/** Changes the graph of an answer. Answers without a graph stay unchanged. */
const updateGraph = (body: Json, change: Rewrite): Json =>
  isObject(body) && isObject(body.data) && Array.isArray(body.data.intervals)
    ? { ...body, data: change(body.data) }
    : body;

const bucketsOf = (graph: JsonObject): JsonObject[] =>
  Array.isArray(graph.intervals) ? graph.intervals.filter(isObject) : [];

/** Removes buckets from the rows, and from the totals that are sums. */
const withoutBuckets = (
  graph: JsonObject,
  isRemoved: (bucket: JsonObject, index: number) => boolean,
): JsonObject => {
  const intervals = bucketsOf(graph).filter((bucket, index) => !isRemoved(bucket, index));
  const totals = Object.keys(graph)
    .filter((name) => name.startsWith('total_') && !name.endsWith('_log_concurrency'))
    .map((name) => [name, sum(intervals.map((bucket) => Number(bucket[name.slice('total_'.length)])))]);
  return { ...graph, intervals, ...Object.fromEntries(totals) };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
