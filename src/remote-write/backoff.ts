// Computes how long to wait before a batch is sent again.

import { HOUR, MINUTE, SECOND } from '../lib/time.ts';
import type { Answer } from './answer.ts';

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
