// How far work has come, as a bar on a terminal; elsewhere nothing.

import { Writable } from 'node:stream';
import type { Progress } from '../lib/progress.ts';

const WIDTH = 16;
const CLEAR_LINE = '\r\x1b[K';
/** Of a terminal that does not tell, or says 0. */
const COLUMNS = 80;

export interface ProgressBar extends Disposable {
  /** Whether anybody sees it. */
  readonly isShown: boolean;
  /** `share` goes from 0 to 1. */
  show(text: string, share?: number): void;
  /** Clears its line until it is shown again. */
  hide(): void;
  /** A stream of whole lines for what goes to the same terminal: the bar stays below them. */
  below(lines: Writable): Writable;
}

/** The bar's line is cleared with it. */
export const progressBar = (stream: Writable, isWanted = true): ProgressBar => {
  const isShown = isWanted && 'isTTY' in stream && stream.isTTY === true;
  let line = '';
  const write = (text: string): void => {
    if (isShown) stream.write(text);
  };
  const show = (text: string, share?: number): void => {
    // A line that wraps could not be cleared.
    line = `${share === undefined ? '' : `${barOf(share)} `}${text}`.slice(0, columnsOf(stream) - 1);
    write(`${CLEAR_LINE}${line}`);
  };
  const hide = (): void => {
    if (line !== '') write(CLEAR_LINE);
    line = '';
  };
  const below = (lines: Writable): Writable => {
    if (!isShown) return lines;
    return new Writable({
      decodeStrings: false,
      write: (text, encoding, done) => {
        if (line !== '') write(CLEAR_LINE);
        lines.write(text, encoding);
        write(line);
        // Like any writer of logs it does not wait for a slow reader.
        done();
      },
    });
  };
  return { isShown, show, hide, below, [Symbol.dispose]: hide };
};

/** `1,200 of 100,000 users`. */
export const amountOf = ({ done, total, unit }: Progress): string =>
  `${total === undefined ? '' : `${count(done)} of `}${count(total ?? done)} ${unit}`;

const count = (amount: number): string => amount.toLocaleString('en');

const columnsOf = (stream: Writable): number =>
  'columns' in stream && typeof stream.columns === 'number' && stream.columns > 0 ? stream.columns : COLUMNS;

const barOf = (share: number): string => {
  const done = Math.round(share * WIDTH);
  const percents = `${Math.round(share * 100)} %`;
  return `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${percents.padStart(5)}`;
};
