// Shows the progress of work as a bar on a terminal, and nothing if the stream is not a terminal.

import { Writable } from 'node:stream';
import type { Progress } from '../lib/progress.ts';

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
export const formatProgress = ({ done, total, unit }: Progress): string =>
  `${total === undefined ? '' : `${count(done)} of `}${count(total ?? done)} ${unit}`;

const count = (amount: number): string => amount.toLocaleString('en');

const columnsOf = (stream: Writable): number =>
  'columns' in stream && typeof stream.columns === 'number' && stream.columns > 0 ? stream.columns : COLUMNS;

const barOf = (share: number): string => {
  const done = Math.round(share * WIDTH);
  const percents = `${Math.round(share * 100)}%`;
  return `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${percents.padStart(4)}`;
};
