// Converts the times at which a proxy user was created and last updated from the provider's time zone to instants.

import { instantOf, parseLocal } from '../../provider/time.ts';
import type { UserDetails } from '../../store/user-store.ts';

/** Times in ms; null if a time was not given or is not a datetime. */
export interface UserTimes {
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export const userTimesOf = ({ createdAt, updatedAt }: UserDetails, zone: string): UserTimes => ({
  createdAt: instantIn(createdAt, zone),
  updatedAt: instantIn(updatedAt, zone),
});

const instantIn = (given: string | null, zone: string): number | null => {
  const local = given === null ? undefined : parseLocal(given);
  return local === undefined ? null : instantOf(local, zone);
};
