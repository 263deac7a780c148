// Counts which samples of a batch the receiver accepted and refused.

import { type Batch, type Series, sampleCount } from './series.ts';

/**
 * Receivers refuse all samples before a certain time. If a receiver refuses so many samples of a series in a row, from
 * the newest to older ones, it is taken to refuse all older ones too. Otherwise a batch of old samples would need two
 * requests for each of them.
 */
const REFUSALS_IN_A_ROW = 3;

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
  /** Refusals of single samples since the last accepted ones, by the labels of the series. */
  readonly #inARow = new Map<Series['labels'], number>();

  get result(): BatchResult {
    return { accepted: this.#accepted, refused: this.#refused, reason: this.#reason };
  }

  accept(part: Batch): void {
    this.#accepted += sampleCount(part);
    for (const { labels } of part) this.#inARow.delete(labels);
  }

  refuse(part: Batch, reason?: string): void {
    this.#refused += sampleCount(part);
    this.#reason ??= reason;
    for (const { labels } of part) this.#inARow.set(labels, (this.#inARow.get(labels) ?? 0) + 1);
  }

  /** Whether the receiver need not be asked, because it refused newer samples of the part's only series. */
  isTooOld([series, ...others]: Batch): boolean {
    if (!series || others.length > 0) return false;
    return (this.#inARow.get(series.labels) ?? 0) >= REFUSALS_IN_A_ROW;
  }
}
