// How far a command has come, as a bar on a terminal; elsewhere nothing.

import type { Writable } from 'node:stream';

const WIDTH = 30;
const CLEAR_LINE = '\r\x1b[K';

export interface ProgressBar extends Disposable {
  /** `share` goes from 0 to 1. */
  show(text: string, share?: number): void;
}

/** The bar's line is cleared with it. */
export const progressBar = (stream: Writable): ProgressBar => {
  const isTerminal = 'isTTY' in stream && stream.isTTY === true;
  const write = (text: string): void => {
    if (isTerminal) stream.write(text);
  };
  return {
    show: (text, share) => write(`${CLEAR_LINE}${text}${share === undefined ? '' : ` ${barOf(share)}`}`),
    [Symbol.dispose]: () => write(CLEAR_LINE),
  };
};

const barOf = (share: number): string => {
  const done = Math.round(share * WIDTH);
  return `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${Math.round(share * 100)} %`;
};
