// Lets long work in memory yield to the event loop.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Returns a function to await after each small step. Every `count` steps it lets other work run. */
export const yieldEvery = (count: number): (() => Promise<void> | undefined) => {
  let done = 0;
  return () => {
    done += 1;
    return done % count === 0 ? nextTurn() : undefined;
  };
};
