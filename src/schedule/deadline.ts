// Aborts a run that takes too long, with an error that says whether the provider's rate limit or the run is the cause.

import type { Clock } from '../lib/clock.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { ProviderError } from '../provider/errors.ts';
import type { Job } from './job.ts';

/** The shortest limit. A run may take several intervals, as a listing of 100,000 users on a one-minute schedule does. */
const SHORTEST_MS = 10 * MINUTE;
const INTERVALS = 3;

/**
 * Calls `work` with two arguments: a signal that aborts with `signal`, and at the deadline with a ProviderError; and the
 * deadline on the monotonic clock (ms).
 */
export const withDeadline = async <T>(
  job: Job,
  intervalMs: number,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal, endsAt: number) => Promise<T>,
): Promise<T> => {
  const limitMs = Math.max(SHORTEST_MS, INTERVALS * intervalMs);
  const [done, overdue] = [new AbortController(), new AbortController()];
  clock.sleep(limitMs, done.signal).then(
    () => overdue.abort(deadlineError(job, limitMs)),
    () => {},
  );
  try {
    return await work(AbortSignal.any([signal, overdue.signal]), clock.monotonic() + limitMs);
  } finally {
    done.abort();
  }
};

const deadlineError = (job: Job, limitMs: number): ProviderError =>
  job.isThrottled()
    ? new ProviderError(
        'rate_limited',
        job.collector,
        `the run took longer than ${limitMs / SECOND} s, because the provider asked proxywatch to wait`,
      )
    : new ProviderError('timeout', job.collector, `the run took longer than ${limitMs / SECOND} s`);
