// Sends a batch until the receiver has accepted or refused each of its samples, and counts which.

import type { Clock } from '../lib/clock.ts';
import { HOUR, MINUTE, SECOND } from '../lib/time.ts';
import type { Acceptance, Answer, Refusal } from './answer.ts';
import { OldSamples } from './old-samples.ts';
import {
  type Batch,
  inOrder,
  joined,
  newestOf,
  oldestOf,
  type Sample,
  sampleCount,
  withSamples,
} from './series.ts';

export interface SendContext {
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Returns the body of a request for `send`. Throws if labels are not valid. */
  readonly encode: (part: Batch) => Buffer;
  readonly send: (body: Buffer, signal: AbortSignal) => Promise<Answer>;
  /** Called after each request with its samples and the size of its body. */
  readonly onAnswer?: (answer: Answer, part: Batch, bytes: number) => void;
}

/**
 * Sends one request at a time. Rejects with the signal's reason, or if labels are not valid. After an abort, send the whole
 * batch again: receivers take a sample that they have for the same sample.
 */
export const sendBatch = async (
  batch: Batch,
  context: SendContext,
  signal: AbortSignal,
): Promise<BatchResult> => {
  const tally = new Tally();
  const whole = batch.filter(({ samples }) => samples.length > 0).map(inOrder);
  const parts: Batch[] = whole.length > 0 ? [whole] : [];
  for (let part = parts.pop(); part; part = parts.pop())
    parts.push(...(await sendPart(part, tally, context, signal)));
  return tally.result;
};

/** Sends a part and counts its samples. Returns the smaller parts to send if only some of them may be refused. */
const sendPart = async (
  unsent: Batch,
  tally: Tally,
  context: SendContext,
  signal: AbortSignal,
): Promise<readonly Batch[]> => {
  const part = tally.withoutKnown(unsent);
  if (part.length === 0) return [];
  const answer = await finalAnswer(part, context, signal);
  if (answer.kind === 'accepted') tally.accept(part, answer.partial);
  else if (answer.kind === 'refused' && isTooNew(part, answer, context.clock.now()))
    return tally.splitTooNew(part, answer);
  else if (sampleCount(part) === 1) tally.refuse(part, answer);
  // The newer half is last and is sent next, so that refusals of samples that are too old follow each other.
  else return answer.kind === 'refused' && answer.limit ? halvesByTime(part) : halvesBySeries(part);
  return [];
};

/** An answer that names no side means the newest samples if they are ahead of the receiver's clock. */
const isTooNew = (part: Batch, { limit, behindMs = 0 }: Refusal, now: number): boolean =>
  limit === 'too new' || (limit === 'out of bounds' && newestOf(part) > now - behindMs);

type FinalAnswer = Exclude<Answer, { kind: 'retry' | 'misconfigured' }>;

/** Sends a part until an answer says what to do with its samples. */
const finalAnswer = async (
  part: Batch,
  { clock, random, encode, send, onAnswer }: SendContext,
  signal: AbortSignal,
): Promise<FinalAnswer> => {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    // The protocol can have changed since the last request.
    const body = encode(part);
    const answer = meaningFor(part, await send(body, signal), clock.now());
    onAnswer?.(answer, part, body.length);
    if (isFinal(answer)) return answer;
    await clock.sleep(backoffMs(answer, failures, random()), signal);
  }
};

/**
 * A receiver for which a single sample is too large takes no sample at all, so the sample is not at fault. If it has taken
 * all but some that are too new, these are to be found, because they are sent later.
 */
const meaningFor = (part: Batch, answer: Answer, now: number): Answer => {
  const count = sampleCount(part);
  if (answer.kind === 'too large' && count === 1) return { ...answer, kind: 'misconfigured' };
  if (answer.kind !== 'accepted') return answer;
  if (answer.partial && isTooNew(part, answer.partial.refusal, now)) return answer.partial.refusal;
  if ((answer.written ?? count) >= count) return answer;
  const reason = `wrote only ${answer.written} of ${count} samples`;
  return { kind: 'refused', reason };
};

const isFinal = (answer: Answer): answer is FinalAnswer =>
  answer.kind !== 'retry' && answer.kind !== 'misconfigured';

const FIRST_MS = 30;
const MAX_MS = 5 * MINUTE;
/** A mistake in the configuration does not go away within a second. */
const FIRST_AFTER_MISTAKE_MS = 30 * SECOND;
/** A receiver that asks for more may have a wrong clock. */
const MAX_ASKED_MS = HOUR;

/**
 * Returns how long to wait (ms) after `failures` answers in a row that did not end the request. `random` is from 0 to 1,
 * and shortens the wait by up to a half, so that many senders do not come back at the same moment.
 */
export const backoffMs = (answer: Answer, failures: number, random: number): number => {
  const askedMs = answer.kind === 'retry' ? (answer.retryAfterMs ?? 0) : 0;
  if (askedMs > 0) return Math.min(askedMs, MAX_ASKED_MS);
  const firstMs = answer.kind === 'retry' ? FIRST_MS : FIRST_AFTER_MISTAKE_MS;
  return Math.min(firstMs * 2 ** (failures - 1), MAX_MS) * (1 - random / 2);
};

/** The older half is first. Both have samples. */
type Halves = readonly [Batch, Batch];

/** Returns two halves of a batch of at least two samples: of its series, or of its time if it has only one series. */
const halvesBySeries = (batch: Batch): Halves => {
  if (batch.length === 1) return halvesByTime(batch);
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
};

/** Returns the same by time, or by series if all samples have the same time. A series has no time twice. */
const halvesByTime = (batch: Batch): Halves => {
  const times = batch.flatMap(({ samples }) => samples.map(({ at }) => at)).toSorted((a, b) => a - b);
  const middle = times[times.length >> 1];
  const start = middle === times[0] ? times.find((at) => at !== middle) : middle;
  if (start === undefined) return halvesBySeries(batch);
  const isNewer = ({ at }: Sample): boolean => at >= start;
  return [withSamples(batch, (sample) => !isNewer(sample)), withSamples(batch, isNewer)];
};

export interface BatchResult {
  readonly accepted: number;
  readonly refused: number;
  /** What the receiver answered to the first sample that it refused. */
  readonly reason?: string | undefined;
  /** The samples that are too new for the receiver's clock, which are neither accepted nor refused. */
  readonly early?: EarlySamples | undefined;
}

export interface EarlySamples extends Pick<Refusal, 'reason' | 'behindMs'> {
  readonly batch: Batch;
}

class Tally {
  #accepted = 0;
  #refused = 0;
  #reason: string | undefined;
  readonly #old = new OldSamples();
  #early: EarlySamples | undefined;
  /** All samples from this time on are too new, because the receiver has one clock for all series. */
  #tooNewFrom = Number.POSITIVE_INFINITY;

  get result(): BatchResult {
    return { accepted: this.#accepted, refused: this.#refused, reason: this.#reason, early: this.#early };
  }

  accept(part: Batch, partial: Acceptance['partial']): void {
    const count = sampleCount(part);
    const refused = Math.min(partial?.rejected ?? 0, count);
    this.#accepted += count - refused;
    this.#refused += refused;
    this.#reason ??= partial?.refusal.reason;
    if (refused === 0) this.#old.accepted(part);
  }

  /** `part` has a single sample. */
  refuse(part: Batch, answer: Exclude<Answer, { kind: 'accepted' }>): void {
    this.#refused += 1;
    this.#reason ??= answer.reason;
    this.#old.refused(part, answer.kind === 'refused' && answer.limit !== undefined);
  }

  /** Returns the halves of the part. The older one is sent next, so that the first single sample has the limit. */
  splitTooNew(part: Batch, answer: Refusal): readonly Batch[] {
    if (sampleCount(part) > 1) return halvesByTime(part).toReversed();
    this.#tooNewFrom = oldestOf(part);
    this.#keep(part, answer);
    return [];
  }

  /** Counts the samples for which the receiver need not be asked as refused or early, and returns the others. */
  withoutKnown(part: Batch): Batch {
    const isTooNew = ({ at }: Sample): boolean => at >= this.#tooNewFrom;
    if (this.#early) this.#keep(withSamples(part, isTooNew), this.#early);
    const asked = withSamples(part, (sample) => !isTooNew(sample));
    const rest = this.#old.without(asked);
    this.#refused += sampleCount(asked) - sampleCount(rest);
    return rest;
  }

  #keep(part: Batch, { reason, behindMs }: Pick<Refusal, 'reason' | 'behindMs'>): void {
    this.#early = { reason, behindMs, batch: joined([...(this.#early?.batch ?? []), ...part]) };
  }
}
