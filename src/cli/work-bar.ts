// Shows the daemon's long work on a terminal: the progress of the longest current run, and the number of others.

import type { App } from '../daemon/app.ts';
import type { Clock } from '../lib/clock.ts';
import type { Progress } from '../lib/progress.ts';
import { SECOND } from '../lib/time.ts';
import { formatProgress, type ProgressBar } from './progress-bar.ts';

/** Shorter work is not shown. */
const MIN_DURATION_MS = 2 * SECOND;
const REDRAW_INTERVAL_MS = SECOND / 4;

interface Work {
  readonly name: string;
  readonly durationMs: number;
  readonly progress: Progress | null;
}

/** Shows the long work on the bar until the returned object is disposed of. */
export const showWork = (bar: ProgressBar, app: App, clock: Clock): AsyncDisposable => {
  const stop = new AbortController();
  const loop = async (): Promise<void> => {
    while (bar.isShown && !stop.signal.aborted) {
      draw(bar, workOf(app, clock.now()));
      // An abort rejects the wait; the condition then ends the loop.
      await clock.sleep(REDRAW_INTERVAL_MS, stop.signal).catch(() => {});
    }
  };
  const looping = loop();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await looping;
      bar.hide();
    },
  };
};

/** Returns the work that has taken long by `now` (ms), the longest first. */
const workOf = ({ runner, maintenance }: App, now: number): Work[] =>
  [
    ...runner.runsInProgress().map((run) => ({ name: `${run.account} ${run.collector}`, ...run })),
    { name: 'maintenance', ...maintenance.status() },
  ]
    .map(({ name, runningSince, progress }) => ({ name, durationMs: now - (runningSince ?? now), progress }))
    .filter(({ durationMs }) => durationMs >= MIN_DURATION_MS)
    .sort((a, b) => b.durationMs - a.durationMs);

const draw = (bar: ProgressBar, [first, ...others]: readonly Work[]): void => {
  if (!first) {
    bar.hide();
    return;
  }
  const { name, durationMs, progress } = first;
  const amount = progress ? `: ${formatProgress(progress)}` : '';
  const more = others.length === 0 ? '' : ` +${others.length} more`;
  bar.show(`${name}${amount}, ${Math.floor(durationMs / SECOND)} s${more}`, shareOf(progress));
};

const shareOf = (progress: Progress | null): number | undefined =>
  progress?.total ? Math.min(1, progress.done / progress.total) : undefined;
