// Counts how the answers with the status 429 say how long to wait.

import { parseRetryAfter, retryAfterMs } from '../../lib/http-answer.ts';
import { SECOND } from '../../lib/time.ts';
import { fieldOf, type ObservedAnswer } from './observed-answer.ts';
import { Spread, type SpreadJson } from './spread.ts';

export interface RateLimitsJson {
  readonly answers: number;
  /** How many have a `Retry-After` with seconds, with a date, or with anything else. */
  readonly header_seconds: number;
  readonly header_date: number;
  readonly header_other: number;
  /** How many name a time in their message. */
  readonly message_time: number;
  /** How many do not say how long to wait. */
  readonly without_time: number;
  readonly wait_seconds: SpreadJson | null;
}

export class RateLimits {
  readonly #counts = {
    ...{ answers: 0, header_seconds: 0, header_date: 0, header_other: 0, message_time: 0, without_time: 0 },
  };
  readonly #waits = new Spread();

  observe({ retryAfter, json, at }: ObservedAnswer): void {
    const message = textIn(json, 'message') ?? textIn(json, 'error') ?? '';
    this.#counts.answers += 1;
    if (retryAfter !== undefined) this.#counts[`header_${parseRetryAfter(retryAfter)?.kind ?? 'other'}`] += 1;
    if (retryAfterMs(undefined, at, message) !== undefined) this.#counts.message_time += 1;
    const waitMs = retryAfterMs(retryAfter, at, message);
    if (waitMs === undefined) this.#counts.without_time += 1;
    else this.#waits.add(waitMs / SECOND);
  }

  /** Returns null if there was no such answer. */
  toJson(): RateLimitsJson | null {
    return this.#counts.answers === 0 ? null : { ...this.#counts, wait_seconds: this.#waits.toJson() };
  }
}

const textIn = (json: unknown, name: string): string | undefined => {
  const text = fieldOf(json, name);
  return typeof text === 'string' ? text : undefined;
};
