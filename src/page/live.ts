// Keeps the page up to date while it is visible, and shows when the daemon does not answer.

import { badge, localTime } from './components.ts';
import { html } from './html.ts';
import { UnreachableError } from './sections/section.ts';
import { elementById, show, updateTimes } from './show.ts';

const POLL_MS = 10_000;
const TIMES_MS = 1_000;

/** Calls `refresh`, which may throw UnreachableError, now and at intervals. Returns a function that calls it at once. */
export const keepUpToDate = (refresh: () => Promise<void>): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answeredAt = Date.now();
  const refreshNow = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      await refresh();
      answeredAt = Date.now();
      showState(null);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      showState(answeredAt);
    } finally {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(refreshNow, POLL_MS);
    }
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void refreshNow();
  });
  setInterval(() => updateTimes(Date.now()), TIMES_MS);
  void refreshNow();
  return () => void refreshNow();
};

/**
 * Shows whether the daemon answers; `lastAnswerAt` is null if it does. The text changes only with that state, because
 * screen readers read it out.
 */
const showState = (lastAnswerAt: number | null): void => {
  document.body.classList.toggle('old', lastAnswerAt !== null);
  const markup =
    lastAnswerAt === null
      ? badge('good', 'Live')
      : html`${badge('bad', 'The daemon does not answer.')} The page shows the last answer, from ${localTime(lastAnswerAt, 'second')}.`;
  show(elementById('live'), markup);
};
