// Reads the buckets of the account's minute graphs, for measurements of their order and their times.

import { instantsOf } from '../../lib/time.ts';
import { parseLocal } from '../time.ts';
import { fieldOf, listIn, numberIn, type ObservedAnswer } from './observed-answer.ts';

/** Times are in ms, as if the provider's zone were UTC. */
export type MinuteGraph = NonNullable<ReturnType<typeof minuteGraphOf>>;

export type MinuteBucket = NonNullable<ReturnType<typeof bucketOf>>;

/** A longer answer is history, which tells nothing about the present. */
const MAX_BUCKETS = 2_000;

/**
 * Returns undefined for any other answer. The graphs of slices are left out, because a slice may have no
 * traffic, and so are periods in which the clocks of the zone change, because their local times are repeated
 * or skipped.
 */
export const minuteGraphOf = ({ query, json }: Pick<ObservedAnswer, 'query' | 'json'>, zone: string) => {
  const rows = listIn(fieldOf(json, 'data'), 'intervals');
  if (query.interval !== 'minute' || hasFilter(query) || rows.length > MAX_BUCKETS) return undefined;
  const [from, to] = [timeOf(query.period_start), timeOf(query.period_end)];
  if (from === undefined || to === undefined || clocksChange(from, to, zone)) return undefined;
  // The requested period; `to` is exclusive.
  return { buckets: rows.flatMap((row) => bucketOf(row) ?? []), from, to };
};

/** Whether the local times between these two, or one of them, are repeated or skipped. */
const clocksChange = (from: number, to: number, zone: string): boolean => {
  const [start, ...otherStarts] = instantsOf(zone, from);
  const [end, ...otherEnds] = instantsOf(zone, to);
  const isUnique = otherStarts.length + otherEnds.length === 0;
  return !isUnique || start === undefined || end === undefined || end - start !== to - from;
};

const NO_FILTERS: ReadonlySet<string> = new Set(['interval', 'period_start', 'period_end']);

/** A flag, such as the one for concurrency, is no filter. */
const hasFilter = (query: ObservedAnswer['query']): boolean =>
  Object.entries(query).some(
    ([name, value]) => value !== undefined && typeof value !== 'boolean' && !NO_FILTERS.has(name),
  );

const bucketOf = (row: unknown) => {
  const start = timeOf(fieldOf(row, 'interval'));
  if (start === undefined) return undefined;
  const [bytes, requests] = [numberIn(row, 'bytes') ?? 0, numberIn(row, 'requests') ?? 0];
  return { start, bytes, isEmpty: bytes === 0 && requests === 0 };
};

const timeOf = (text: unknown): number | undefined =>
  typeof text === 'string' ? parseLocal(text) : undefined;
