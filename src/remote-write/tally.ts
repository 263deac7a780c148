// Counts which samples of a batch the receiver accepted and refused.

import type { Answer } from './answer.ts';
import { type Batch, type Series, sampleCount, withSamples } from './series.ts';

export interface BatchResult {
  readonly accepted: number;
  readonly refused: number;
  /** What the receiver answered to the first sample that it refused. */
  readonly reason?: string | undefined;
}

export class Tally {
  #accepted = 0;
  #refused = 0;
  #reason: string | undefined;
  readonly #old = new OldSamples();

  get result(): BatchResult {
    return { accepted: this.#accepted, refused: this.#refused, reason: this.#reason };
  }

  accept(part: Batch): void {
    this.#accepted += sampleCount(part);
    this.#old.accepted(part);
  }

  /** `part` has a single sample. */
  refuse(part: Batch, answer: Exclude<Answer, { kind: 'accepted' }>): void {
    this.#refused += 1;
    this.#reason ??= answer.reason;
    this.#old.refused(part, answer.kind === 'refused' && answer.isTooOld === true);
  }

  /** Counts the samples for which the receiver need not be asked as refused, and returns the others. */
  withoutRefused(part: Batch): Batch {
    const rest = this.#old.without(part);
    this.#refused += sampleCount(part) - sampleCount(rest);
    return rest;
  }
}

type Labels = Series['labels'];

/**
 * If a receiver refuses so many samples of a series in a row, from the newest to older ones, it is taken to refuse all
 * older ones of the series too.
 */
const REFUSALS_IN_A_ROW = 3;
/**
 * If a receiver calls samples of so many series too old, it is taken to refuse everything that is as old. Two series could
 * have limits of their own.
 */
const SERIES_TOO_OLD = 3;

/** Concludes from refusals which older samples a receiver refuses too, so that it is not asked for each of them. */
class OldSamples {
  /** Refusals of single samples since the last accepted ones. */
  readonly #inARow = new Map<Labels, number>();
  /** The time of the newest sample that the receiver called too old. */
  readonly #tooOld = new Map<Labels, number>();

  accepted(part: Batch): void {
    for (const { labels } of part) this.#inARow.delete(labels);
    const oldest = Math.min(...part.map(oldestOf));
    // A receiver that takes an older sample has no limit at this time.
    for (const [labels, at] of this.#tooOld) if (at >= oldest) this.#tooOld.delete(labels);
  }

  /** `part` has a single sample. */
  refused([series]: Batch, isTooOld: boolean): void {
    if (!series) return;
    const { labels } = series;
    this.#inARow.set(labels, (this.#inARow.get(labels) ?? 0) + 1);
    if (isTooOld && !this.#tooOld.has(labels)) this.#tooOld.set(labels, oldestOf(series));
  }

  /** Returns the samples that the receiver may take. The samples of each series must come from newer to older parts. */
  without(part: Batch): Batch {
    const limit = this.#limit;
    const isOpen = (labels: Labels): boolean => (this.#inARow.get(labels) ?? 0) < REFUSALS_IN_A_ROW;
    return withSamples(part, ({ at }, labels) => at > limit && isOpen(labels));
  }

  /** All samples up to this time are taken to be too old. */
  get #limit(): number {
    const newestFirst = [...this.#tooOld.values()].toSorted((a, b) => b - a);
    return newestFirst[SERIES_TOO_OLD - 1] ?? Number.NEGATIVE_INFINITY;
  }
}

const oldestOf = ({ samples }: Series): number => samples[0]?.at ?? Number.POSITIVE_INFINITY;
