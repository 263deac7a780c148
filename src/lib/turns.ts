// Long work in memory that leaves the event loop free now and then.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Await the result after each small step: after every `count` steps other work gets its turn. */
export const turnEvery = (count: number): (() => Promise<void> | undefined) => {
  let done = 0;
  return () => {
    done += 1;
    return done % count === 0 ? nextTurn() : undefined;
  };
};
