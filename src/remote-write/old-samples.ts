// Concludes from refusals which older samples a receiver refuses too, so that it is not asked for each of them.

import { type Batch, oldestOf, type Series, withSamples } from './series.ts';

type Labels = Series['labels'];

/** A receiver that refuses so many samples of a series in a row, newest first, is taken to refuse all its older ones too. */
const REFUSALS_IN_A_ROW = 3;
/** A receiver that calls samples of so many series too old is taken to refuse all as old. Two series may have own limits. */
const SERIES_TOO_OLD = 3;

export class OldSamples {
  /** Refusals of single samples since the last accepted ones, and the time of the last of them. */
  readonly #inARow = new Map<Labels, { readonly count: number; readonly at: number }>();
  /** The time of the newest sample that the receiver called too old. */
  readonly #tooOld = new Map<Labels, number>();

  accepted(part: Batch): void {
    for (const { labels } of part) this.#inARow.delete(labels);
    const oldest = oldestOf(part);
    // A receiver that takes an older sample has no limit at this time.
    for (const [labels, at] of this.#tooOld) if (at >= oldest) this.#tooOld.delete(labels);
  }

  /** `part` has a single sample. */
  refused([series]: Batch, isTooOld: boolean): void {
    if (!series) return;
    const [{ labels }, at] = [series, oldestOf([series])];
    this.#inARow.set(labels, { count: (this.#inARow.get(labels)?.count ?? 0) + 1, at });
    if (isTooOld && !this.#tooOld.has(labels)) this.#tooOld.set(labels, at);
  }

  /** Returns the samples that the receiver may take. */
  without(part: Batch): Batch {
    const limit = this.#limit;
    const isClosed = (labels: Labels, at: number): boolean => {
      const refusals = this.#inARow.get(labels);
      return refusals !== undefined && refusals.count >= REFUSALS_IN_A_ROW && at < refusals.at;
    };
    return withSamples(part, ({ at }, labels) => at > limit && !isClosed(labels, at));
  }

  /** All samples up to this time are taken to be too old. */
  get #limit(): number {
    const newestFirst = [...this.#tooOld.values()].toSorted((a, b) => b - a);
    return newestFirst[SERIES_TOO_OLD - 1] ?? Number.NEGATIVE_INFINITY;
  }
}
