// Counts which samples of a batch the receiver accepted and refused.

import type { Answer } from './answer.ts';
import { OldSamples } from './old-samples.ts';
import { type Batch, sampleCount } from './series.ts';

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
