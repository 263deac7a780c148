// Shows progress as a bar on a terminal, such as that of the daemon's longest current run. Shows nothing elsewhere.

import { Writable } from 'node:stream';
import type { App } from '../daemon/app.ts';
import type { Clock } from '../lib/clock.ts';
import type { Progress } from '../lib/progress.ts';
import { SECOND } from '../lib/time.ts';

const WIDTH = 16;
const CLEAR_LINE = '\r\x1b[K';
/** Width of a terminal that does not report it, or reports 0. */
const COLUMNS = 80;

export interface ProgressBar extends Disposable {
  /** Whether the stream is a terminal and the bar is wanted. */
  readonly isShown: boolean;
  /** `share` goes from 0 to 1. */
  show(text: string, share?: number): void;
  /** Clears the line until the bar is shown again. */
  hide(): void;
  /** Returns a stream for whole lines to the same terminal, which keeps the bar below them. */
  keepBelow(lines: Writable): Writable;
}

/** Creates a bar; disposing of it clears its line. */
export const progressBar = (stream: Writable, isWanted = true): ProgressBar => {
  const isShown = isWanted && 'isTTY' in stream && stream.isTTY === true;
  let line = '';
  const write = (text: string): void => {
    if (isShown) stream.write(text);
  };
  const show = (text: string, share?: number): void => {
    // A line that wraps cannot be cleared, so it is cut.
    line = `${share === undefined ? '' : `${barOf(share)} `}${text}`.slice(0, columnsOf(stream) - 1);
    write(`${CLEAR_LINE}${line}`);
  };
  const hide = (): void => {
    if (line !== '') write(CLEAR_LINE);
    line = '';
  };
  const keepBelow = (lines: Writable): Writable => {
    if (!isShown) return lines;
    return new Writable({
      decodeStrings: false,
      write: (text, encoding, done) => {
        if (line !== '') write(CLEAR_LINE);
        lines.write(text, encoding);
        write(line);
        // Like any log writer, it does not wait for a slow reader.
        done();
      },
    });
  };
  return { isShown, show, hide, keepBelow, [Symbol.dispose]: hide };
};

/** Formats progress like `1,200 of 100,000 users`. */
const formatProgress = ({ done, total, unit }: Progress): string =>
  `${total === undefined ? '' : `${count(done)} of `}${count(total ?? done)} ${unit}`;

const count = (amount: number): string => amount.toLocaleString('en');

const columnsOf = (stream: Writable): number =>
  'columns' in stream && typeof stream.columns === 'number' && stream.columns > 0 ? stream.columns : COLUMNS;

const barOf = (share: number): string => {
  const done = Math.round(share * WIDTH);
  const percents = `${Math.round(share * 100)}%`;
  return `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${percents.padStart(4)}`;
};

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
