// Limits silences, so that the store and the list stay small.

import { DAY } from '../../lib/time.ts';

/** Silences that are in effect or begin later. */
export const MAX_SILENCES = 500;
/** Expired silences are kept, so that you can see why a notification was missing. */
export const EXPIRED_RETENTION_MS = 7 * DAY;
export const MAX_EXPIRED = 500;
/** A silence ends at most this long after it was made. A longer one would rather be a filter of a receiver. */
export const MAX_SILENCE_MS = 366 * DAY;
export const MAX_COMMENT_LENGTH = 500;
export const MAX_SUBJECT_LENGTH = 300;
