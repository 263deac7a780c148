// Delivers a stored batch to a receiver, and returns what became of its samples.

import type { Clock } from '../../lib/clock.ts';
import type { Answer } from '../../remote-write/answer.ts';
import type { Receiver } from '../../remote-write/receiver.ts';
import { type BatchResult, sendBatch } from '../../remote-write/send-batch.ts';
import { type Batch, joined, type Series } from '../../remote-write/series.ts';
import type { SentCounts } from '../../store/publication-store.ts';
import { batchOf } from './form-batch.ts';

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
