// Stores listings of proxy users, and reads the stored use of each user.

import type { UserObservation } from '../../src/store/user-store.ts';
import type { UserUse } from '../../src/store/user-use-store.ts';
import { observationOf, type TestStore } from './support.ts';

export const TYPES = ['residential', 'mobile'] as const;
export const ANY_DAY = [0, 100_000] as const;
export const NEVER = new AbortController().signal;

export const user = (id: string, residential: number | null, mobile: number | null = 0): UserObservation =>
  observationOf(id, {
    residential: { limitBytes: null, usedBytes: residential },
    mobile: { limitBytes: null, usedBytes: mobile },
  });

/** Stores a complete listing, and the hour that has ended before it if there is one. */
export const list = async (
  test: Pick<TestStore, 'store'>,
  users: readonly UserObservation[],
  at: number,
  zone = 'UTC',
) => {
  const { store } = test;
  await store.users.savePage('main', users, at);
  await store.users.completeListing('main', new Set(users.map(({ id }) => id)), at, at);
  return store.userUse.store('main', zone, NEVER);
};

export const useOf = async (test: Pick<TestStore, 'store'>, id: string): Promise<UserUse> => {
  const found = await test.store.userUse.ofUser('main', id, ...ANY_DAY);
  if (!found) throw new Error(`${id} is unknown`);
  return found;
};

export const sumOf = (use: UserUse): number =>
  use.days.reduce((sum, { bytes }) => sum + bytes.residential + bytes.mobile, 0);
