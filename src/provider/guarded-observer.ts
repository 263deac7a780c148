// Keeps a failure of an observer away from the requests that it observes.

import type { ProviderObserver } from './client-options.ts';

/** Returns an observer that never throws. It passes the first failure on, and ignores the others. */
export const guardedObserver = (observer: ProviderObserver): ProviderObserver => {
  let hasFailed = false;
  const guard =
    <A>(observe: (event: A) => void) =>
    (event: A): void => {
      try {
        observe(event);
      } catch (error) {
        if (!hasFailed) observer.onFailure?.(error);
        hasFailed = true;
      }
    };
  return {
    onResponse: guard((response) => observer.onResponse(response)),
    onServerDate: guard((offsetMs) => observer.onServerDate(offsetMs)),
    onAnswer: guard((answer) => observer.onAnswer?.(answer)),
  };
};
