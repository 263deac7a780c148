// Measures how late the buckets of the present come, which also shows the provider's time zone.

import { MINUTE, SECOND } from '../../lib/time.ts';
import type { MinuteBucket, MinuteGraph } from './minute-buckets.ts';
import { Spread, type SpreadJson } from './spread.ts';

export interface BucketTimesJson {
  /**
   * The time since the start of the newest bucket with traffic, if the provider's times are in UTC. In
   * another zone it differs by the zone's offset, so it shows the zone.
   */
  readonly newest_age_seconds: SpreadJson | null;
  /** The ages of the buckets whose bytes differ from those of the answer before. */
  readonly changed_age_seconds: SpreadJson | null;
}

/** The ends of periods that reach to the present differ by less than this, because they end with a minute. */
const SAME_MS = 3 * MINUTE;
/**
 * The present is known from this many answers only, so that a wrong `Date`, a clock that jumps or a change of
 * daylight saving is forgotten.
 */
const REMEMBERED = 20;

export class BucketTimes {
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

  toJson(): BucketTimesJson {
    return {
      newest_age_seconds: this.#newestAge.toJson(),
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
