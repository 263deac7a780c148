// Does work of a job between two of its runs: after the run in progress, and before the next one.

import type { Clock } from '../lib/clock.ts';
import { allSettledOrAborted } from '../lib/parallel.ts';
import { type Entry, withDeadline } from './entry.ts';

/** `endsAt` is the deadline at which the signal aborts, on the monotonic clock (ms). */
export type WorkBetween = (signal: AbortSignal, endsAt: number) => Promise<void>;

interface Between {
  readonly clock: Clock;
  readonly work: WorkBetween;
  /** Called when the work has ended. Never rejects. */
  readonly render: () => Promise<unknown>;
}

/** The next run waits for the work. Rejects with what the work throws. */
export const beginBetween = async (entry: Entry, between: Between): Promise<void> => {
  const working = workBetween(entry, runningIn([entry]), between);
  const ended = working
    .catch(() => {})
    .finally(() => {
      if (entry.between === ended) entry.between = undefined;
    });
  entry.between = ended;
  await working;
};

const workBetween = async (
  { job, abort }: Entry,
  before: readonly Promise<void>[],
  { clock, work, render }: Between,
): Promise<void> => {
  await allSettledOrAborted(before, abort.signal);
  try {
    abort.signal.throwIfAborted();
    await withDeadline(job, clock, abort.signal, work);
  } finally {
    if (!abort.signal.aborted) await render();
  }
};

/** Returns the ends of what the entries do at present. */
export const runningIn = (entries: Iterable<Entry>): Promise<void>[] =>
  [...entries].flatMap(({ running, between }) => [running ?? [], between ?? []].flat());
