// Sends a batch until the receiver has accepted or refused each of its samples.

import type { Clock } from '../lib/clock.ts';
import { HOUR, MINUTE, SECOND } from '../lib/time.ts';
import type { Answer } from './answer.ts';
import { type Batch, inOrder, type Sample, sampleCount, withSamples } from './series.ts';
import { type BatchResult, Tally } from './tally.ts';
import { writeRequestBody } from './write-request.ts';

export interface SendContext {
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly send: (body: Buffer, signal: AbortSignal) => Promise<Answer>;
  /** Called after each request with the size of its body. */
  readonly onAnswer?: (answer: Answer, bytes: number) => void;
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
  const part = tally.withoutRefused(unsent);
  if (part.length === 0) return [];
  const answer = await finalAnswer(part, context, signal);
  if (answer.kind === 'accepted') tally.accept(part);
  else if (sampleCount(part) === 1) tally.refuse(part, answer);
  // The newer half is last and is sent next, so that refusals of samples that are too old follow each other.
  else return isAboutTime(answer) ? halvesByTime(part) : halvesBySeries(part);
  return [];
};

const isAboutTime = (answer: Answer): boolean => answer.kind === 'refused' && answer.isTooOld === true;

type FinalAnswer = Exclude<Answer, { kind: 'retry' | 'misconfigured' }>;

/** Sends a part until an answer says what to do with its samples. */
const finalAnswer = async (
  part: Batch,
  { clock, random, send, onAnswer }: SendContext,
  signal: AbortSignal,
): Promise<FinalAnswer> => {
  const body = writeRequestBody(part);
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    const answer = meaningFor(part, await send(body, signal));
    onAnswer?.(answer, body.length);
    if (isFinal(answer)) return answer;
    await clock.sleep(backoffMs(answer, failures, random()), signal);
  }
};

/** A receiver for which a single sample is too large takes no sample at all, so the sample is not at fault. */
const meaningFor = (part: Batch, answer: Answer): Answer =>
  answer.kind === 'too large' && sampleCount(part) === 1 ? { ...answer, kind: 'misconfigured' } : answer;

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
