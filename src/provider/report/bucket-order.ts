// Counts which buckets the answers with minutes have, and in which order.

import { MINUTE } from '../../lib/time.ts';
import type { MinuteGraph } from './minute-buckets.ts';

export interface BucketOrderJson {
  readonly answers: number;
  readonly buckets: number;
  /** Buckets without traffic, which the provider could also leave out. */
  readonly empty: number;
  /** Minutes between the first and the last bucket of an answer that have no bucket. */
  readonly absent: number;
  /** Buckets of a minute that another bucket of the same answer has too. */
  readonly repeated: number;
  /** Buckets outside of the requested period. */
  readonly outside: number;
  readonly ascending_answers: number;
  readonly descending_answers: number;
  readonly unordered_answers: number;
}

export class BucketOrder {
  readonly #counts = {
    ...{ answers: 0, buckets: 0, empty: 0, absent: 0, repeated: 0, outside: 0 },
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

  toJson(): BucketOrderJson {
    return { ...this.#counts };
  }
}

const orderOf = (starts: readonly number[]): 'ascending' | 'descending' | 'unordered' => {
  const steps = starts.slice(1).map((start, i) => start - (starts[i] ?? start));
  if (steps.every((step) => step >= 0)) return 'ascending';
  return steps.every((step) => step <= 0) ? 'descending' : 'unordered';
};
