// Keeps the page up to date while it is seen, and says when the daemon is gone.

import { Gone } from './feed.ts';
import { utc } from './format.ts';
import { html } from './html.ts';
import { badge } from './parts.ts';
import { part, show, updateTimes } from './show.ts';

const POLL_MS = 10_000;
const TIMES_MS = 1_000;

/** Calls `refresh` at once and then again and again; it throws Gone. What it returns calls it out of turn. */
export const keepLive = (refresh: () => Promise<void>): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answeredAt = Date.now();
  const turn = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      await refresh();
      answeredAt = Date.now();
      tell(null);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      tell(answeredAt);
    } finally {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(turn, POLL_MS);
    }
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void turn();
  });
  setInterval(() => updateTimes(Date.now()), TIMES_MS);
  void turn();
  return () => void turn();
};

/** With the time of the last answer once there is none any more. Words change with the state alone, as they are read out. */
const tell = (goneSince: number | null): void => {
  document.body.classList.toggle('old', goneSince !== null);
  const words = `The daemon does not answer. All that is shown is old, as of ${utc(goneSince ?? 0)}.`;
  show(part('live'), goneSince === null ? badge('good', 'Live') : html`${badge('bad', words)}`);
};
