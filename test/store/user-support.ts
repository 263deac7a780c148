// Polls proxy users into a store, and reads what the store shows of them.

import { shownCounter } from '../../src/store/counter.ts';
import type { UserObservation } from '../../src/store/user-store.ts';
import { observationOf, type TestStore } from './support.ts';

export const user = (
  id: string,
  usedBytes: number | null,
  limitBytes: number | null = 1_000,
): UserObservation => observationOf(id, { residential: { limitBytes, usedBytes } });

/** Stores a complete listing of exactly these users. */
export const poll = async (
  test: TestStore,
  users: readonly UserObservation[],
  now: number,
): Promise<void> => {
  for (const each of users) await test.store.users.savePage('main', [each], now);
  await test.store.users.completeListing('main', new Set(users.map(({ id }) => id)), now, now);
};

export const usageOf = async (test: TestStore, id: string) => {
  const found = (await test.store.users.page('main', '', 100)).find((each) => each.id === id);
  const { storedAt } = await test.store.users.listing('main');
  return found && shownCounter(found.quotas.residential.usage, storedAt);
};
