// Observes the buckets of the account's minute graphs: their order, and how late they come.

import { instantsOf, MINUTE, SECOND } from '../../lib/time.ts';
import { parseLocal } from '../time.ts';
import { fieldOf, listIn, numberIn, type ObservedAnswer } from './observed-answer.ts';
import { Spread } from './spread.ts';

/** Times are in ms, as if the provider's zone were UTC. */
type MinuteGraph = NonNullable<ReturnType<typeof minuteGraphOf>>;

type MinuteBucket = NonNullable<ReturnType<typeof bucketOf>>;

/** A longer answer is history, which tells nothing about the present. */
const MAX_BUCKETS = 2_000;

/**
 * Returns undefined for any other answer. The graphs of slices are left out, because a slice may have no
 * traffic, and so are periods in which the clocks of the zone change, because their local times are repeated
 * or skipped.
 */
const minuteGraphOf = ({ query, json }: Pick<ObservedAnswer, 'query' | 'json'>, zone: string) => {
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

export class MinuteReport {
  readonly #order = new BucketOrder();
  readonly #times = new BucketTimes();

  /** `zone` is the configured time zone of the provider. */
  observe(answer: ObservedAnswer, zone: string): void {
    const graph = minuteGraphOf(answer, zone);
    if (!graph) return;
    this.#order.observe(graph);
    this.#times.observe(graph, answer.at);
  }

  /** Returns null if no such graph was observed. */
  toJson() {
    const order = this.#order.toJson();
    return order.answers === 0 ? null : { ...order, ...this.#times.toJson() };
  }
}

class BucketOrder {
  readonly #counts = {
    ...{ answers: 0, buckets: 0 },
    /** Buckets without traffic, which the provider could also leave out. */
    empty: 0,
    /** Minutes between the first and the last bucket of an answer that have no bucket. */
    absent: 0,
    /** Buckets of a minute that another bucket of the same answer has too. */
    repeated: 0,
    /** Buckets outside of the requested period. */
    outside: 0,
    ...{ ascending_answers: 0, descending_answers: 0, unordered_answers: 0 },
  };

  observe({ buckets, from, to }: MinuteGraph): void {
    const counts = this.#counts;
    const starts = buckets.map(({ start }) => start);
    const minutes = new Set(starts).size;
    counts.answers += 1;
    counts.buckets += buckets.length;
    counts.empty += buckets.filter(({ isEmpty }) => isEmpty).length;
    counts.repeated += buckets.length - minutes;
    counts.outside += starts.filter((start) => start < from || start >= to).length;
    if (minutes < 2) return;
    const spanned = Math.round((Math.max(...starts) - Math.min(...starts)) / MINUTE) + 1;
    counts.absent += Math.max(0, spanned - minutes);
    counts[`${orderOf(starts)}_answers`] += 1;
  }

  toJson() {
    return { ...this.#counts };
  }
}

const orderOf = (starts: readonly number[]): 'ascending' | 'descending' | 'unordered' => {
  const steps = starts.slice(1).map((start, i) => start - (starts[i] ?? start));
  if (steps.every((step) => step >= 0)) return 'ascending';
  return steps.every((step) => step <= 0) ? 'descending' : 'unordered';
};

/** The ends of periods that reach to the present differ by less than this, because they end with a minute. */
const SAME_MS = 3 * MINUTE;
/** The present is known from this many answers only: a wrong `Date`, a clock that jumps or daylight saving is forgotten. */
const REMEMBERED = 20;

/** Measures how late the buckets of the present come, which also shows the provider's time zone. */
class BucketTimes {
  #newestAge = new Spread();
  #changedAge = new Spread();
  /** The bytes of the answer before, by the start of their bucket. They are compared, and not reported. */
  #before: ReadonlyMap<number, number> = new Map();
  /** By how much the newest periods with traffic end after the provider's time, if its zone is UTC (ms). */
  #ends: readonly number[] = [];

  /** `at` is the provider's time (ms). */
  observe({ buckets, to }: MinuteGraph, at: number): void {
    const starts = buckets.filter(({ isEmpty }) => !isEmpty).map(({ start }) => start);
    if (starts.length === 0 || !this.#reachesPresent(to - at)) return;
    this.#newestAge.add((at - Math.max(...starts)) / SECOND);
    this.#compare(buckets, at);
  }

  toJson() {
    return {
      /**
       * The time since the start of the newest bucket with traffic, if the provider's times are in UTC. In
       * another zone it differs by the zone's offset, so it shows the zone.
       */
      newest_age_seconds: this.#newestAge.toJson(),
      /** The ages of the buckets whose bytes differ from those of the answer before. */
      changed_age_seconds: this.#changedAge.toJson(),
    };
  }

  /** The present is not known before the zone is, so it is where the latest of the newest periods ends. */
  #reachesPresent(end: number): boolean {
    const before = Math.max(...this.#ends);
    this.#ends = [...this.#ends, end].slice(-REMEMBERED);
    const present = Math.max(...this.#ends);
    if (Math.abs(present - before) > SAME_MS) this.#beginAgain();
    return end > present - SAME_MS;
  }

  /** The measurements so far were of another time than the present. */
  #beginAgain(): void {
    this.#newestAge = new Spread();
    this.#changedAge = new Spread();
    this.#before = new Map();
  }

  #compare(buckets: readonly MinuteBucket[], at: number): void {
    const [oldest, newest] = [Math.min(...this.#before.keys()), Math.max(...this.#before.keys())];
    for (const { start, bytes } of buckets) {
      const wasAnswered = start >= oldest && start <= newest;
      if (wasAnswered && bytes !== (this.#before.get(start) ?? 0))
        this.#changedAge.add((at - start) / SECOND);
    }
    this.#before = new Map(buckets.map(({ start, bytes }) => [start, bytes]));
  }
}
