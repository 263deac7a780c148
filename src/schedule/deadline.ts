// The end of a run that takes too long, and whose fault that is.

import type { Clock } from '../lib/clock.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { ProviderError } from '../provider/errors.ts';
import type { Job } from './job.ts';

/** A run may take a few intervals (a listing of 100,000 users under a minute schedule does), but not for ever. */
const SHORTEST_MS = 10 * MINUTE;
const INTERVALS = 3;

/**
 * Calls `work` with a signal that aborts with `signal`, and at the deadline with a ProviderError; and with the deadline
 * on the monotonic clock (ms).
 */
export const withDeadline = async <T>(
  job: Job,
  intervalMs: number,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal, endsAt: number) => Promise<T>,
): Promise<T> => {
  const limitMs = Math.max(SHORTEST_MS, INTERVALS * intervalMs);
  const [done, late] = [new AbortController(), new AbortController()];
  clock.sleep(limitMs, done.signal).then(
    () => late.abort(lateness(job, limitMs)),
    () => {},
  );
  try {
    return await work(AbortSignal.any([signal, late.signal]), clock.monotonic() + limitMs);
  } finally {
    done.abort();
  }
};

const lateness = (job: Job, limitMs: number): ProviderError =>
  job.isThrottled()
    ? new ProviderError(
        'rate_limited',
        job.collector,
        `the provider asked to wait, and the run did not end within ${limitMs / SECOND} s`,
      )
    : new ProviderError('timeout', job.collector, `the run took longer than ${limitMs / SECOND} s`);
