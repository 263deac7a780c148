// Delivers a stored batch to a receiver, returns what became of its samples, and forms those that the receiver gets later.

import type { Clock } from '../../lib/clock.ts';
import { MINUTE } from '../../lib/time.ts';
import type { Answer } from '../../remote-write/answer.ts';
import type { Receiver } from '../../remote-write/receiver.ts';
import { type BatchResult, type EarlySamples, sendBatch } from '../../remote-write/send-batch.ts';
import {
  type Batch,
  inOrder,
  joined,
  oldestOf,
  type Series,
  sampleCount,
} from '../../remote-write/series.ts';
import { type KeptSamples, LONGEST_WAIT_MS, type SentCounts } from '../../store/publication-store.ts';
import { batchOf, bodyOf, MAX_SAMPLES } from './form-batch.ts';

export interface DeliveryContext {
  readonly clock: Clock;
  readonly receiver: Pick<Receiver, 'encode' | 'send'>;
  readonly repeatOld: boolean;
  /** Called after each request with the size of its body. */
  readonly onAnswer: (answer: Answer, bytes: number) => void;
}

export interface Delivered {
  readonly result: BatchResult;
  readonly counts: SentCounts;
  /** The accepted samples that do no harm if they are sent once more. */
  readonly repeatable: Batch;
}

/** `isRepeat` says that the receiver has accepted the samples before. Rejects with the signal's reason. */
export const deliver = async (
  body: Uint8Array,
  { clock, receiver, repeatOld, onAnswer }: DeliveryContext,
  signal: AbortSignal,
  isRepeat = false,
): Promise<Delivered> => {
  let bytes = 0;
  const repeatable: Series[] = [];
  const send = async (request: Buffer): Promise<Answer> => {
    const answer = await receiver.send(request, signal);
    return isRepeat ? meaningForRepeat(answer) : answer;
  };
  const context = {
    ...{ clock, send, random: Math.random },
    encode: (part: Batch) => receiver.encode(part),
    onAnswer: (answer: Answer, part: Batch, size: number) => {
      bytes += size;
      if (answer.kind === 'accepted' && repeatOld && !answer.keepsRepeats) repeatable.push(...part);
      onAnswer(answer, size);
    },
  };
  const result = await sendBatch(batchOf(body), context, signal);
  if (isRepeat) return { ...NOTHING_NEW, counts: { accepted: 0, refused: 0, bytes } };
  const { accepted, refused } = result;
  return { result, counts: { accepted, refused, bytes }, repeatable: joined(repeatable) };
};

/** The samples of a second sending were counted at the first, whatever becomes of them. */
const NOTHING_NEW: Omit<Delivered, 'counts'> = { result: { accepted: 0, refused: 0 }, repeatable: [] };

/** A receiver without a window for old samples refuses the samples that it has. To split them would find nothing else. */
const meaningForRepeat = (answer: Answer): Answer =>
  answer.kind === 'refused' && answer.limit === undefined ? { kind: 'accepted' } : answer;

/** While the store keeps more samples of a receiver, it gets nothing new. The rows stay in the history, so nothing is lost. */
export const MAX_KEPT = 100 * MAX_SAMPLES;

/** How far ahead of their clock Prometheus and Mimir take samples (ms). */
const AHEAD_MS = 10 * MINUTE;
/** If the time of the answers is that of a gateway, samples wait longer, the longer they have waited: by this share of it. */
const LONGER = 0.25;

/** Returns what the receiver gets later of a delivery at `now`. See below for the other parameters. */
export const keptOf = (
  { result, repeatable }: Delivered,
  now: number,
  isBacklog: boolean,
  since?: number,
): KeptSamples[] => [...keptEarly(result.early, now, since), ...keptToRepeat(repeatable, isBacklog, now)];

/**
 * Returns samples that were too new for the receiver's clock at `now` (ms). They are due when it takes the oldest of them, which
 * is known only if the answer has its time. `since` is when they were first kept (ms).
 */
export const keptEarly = (early: EarlySamples | undefined, now: number, since = now): KeptSamples[] => {
  if (!early) return [];
  const batch = early.batch.map(inOrder);
  const firstAt = oldestOf(batch);
  const aheadMs = firstAt - (now - (early.behindMs ?? 0)) - AHEAD_MS;
  const keptMs = now - since;
  const waitMs = Math.min(Math.max(aheadMs, MINUTE, Math.round(keptMs * LONGER)), LONGEST_WAIT_MS);
  return [keptWith(batch, { at: since, waitMs: keptMs + waitMs, isRepeat: false })];
};

/** Prometheus, Mimir and Thanos lose accepted old samples if more arrive while they compact the first full chunk. */
const CHUNK = 32;
/** Far longer than the moment in which Prometheus loses samples, and far shorter than the two hours until the next one (ms). */
const PAUSE_MS = 10 * MINUTE;

/**
 * Returns which of the accepted samples the receiver gets once more. While it gets a backlog, the samples of a series can be
 * spread over several batches, so all are sent again.
 */
const keptToRepeat = (accepted: Batch, isBacklog: boolean, now: number): KeptSamples[] => {
  const batch = isBacklog ? accepted : accepted.filter(({ samples }) => samples.length > CHUNK);
  return batch.length > 0 ? [keptWith(batch, { at: now, waitMs: PAUSE_MS, isRepeat: true })] : [];
};

const keptWith = (batch: Batch, when: Pick<KeptSamples, 'at' | 'waitMs' | 'isRepeat'>): KeptSamples => ({
  ...{ body: bodyOf(batch), samples: sampleCount(batch), firstAt: oldestOf(batch) },
  ...when,
});
