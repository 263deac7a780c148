// Finds the active alerts of an account and a name, page by page, without holding the event loop.

import { firstAfter } from '../../lib/first-after.ts';
import { yieldEvery } from '../../lib/yield-every.ts';
import type { StoredAlert } from '../../store/alert-store.ts';

type Subjects = ReadonlyMap<string, StoredAlert>;
type IsMatching = (alert: StoredAlert) => boolean;

/** After this many alerts, other work gets its turn. */
const ALERTS_PER_TURN = 1_000;

/** Returns up to `limit` keys of matching alerts that are greater than `after`, in order; null starts at the first. */
export const matchingKeys = async (
  subjects: Subjects,
  isMatching: IsMatching,
  after: string | null,
  limit: number,
): Promise<string[]> => {
  let [found, chunk]: [string[], string[]] = [[], []];
  const yieldTurn = yieldEvery(ALERTS_PER_TURN);
  for (const [key, alert] of subjects) {
    if (isMatching(alert)) chunk.push(key);
    if (chunk.length >= ALERTS_PER_TURN) {
      found = firstAfter(new Set([...found, ...chunk]), after ?? '', limit);
      chunk = [];
    }
    await yieldTurn();
  }
  // An alert that ends and begins again meanwhile is found twice.
  return firstAfter(new Set([...found, ...chunk]), after ?? '', limit);
};

export const countMatching = async (subjects: Subjects, isMatching: IsMatching): Promise<number> => {
  const yieldTurn = yieldEvery(ALERTS_PER_TURN);
  let count = 0;
  for (const alert of subjects.values()) {
    if (isMatching(alert)) count += 1;
    await yieldTurn();
  }
  return count;
};
