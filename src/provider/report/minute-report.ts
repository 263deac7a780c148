// Observes the account's minute graphs: the order of their buckets, and how late buckets come.

import { MINUTE, SECOND } from '../../lib/time.ts';
import { type MinuteBucket, type MinuteGraph, minuteGraphOf } from './minute-buckets.ts';
import type { ObservedAnswer } from './observed-answer.ts';
import { Spread } from './spread.ts';

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
/**
 * The present is known from this many answers only, so that a wrong `Date`, a clock that jumps or a change of
 * daylight saving is forgotten.
 */
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
