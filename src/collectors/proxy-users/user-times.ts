// Converts the times at which a proxy user was created and last updated from the provider's time zone to instants.

import { instantIn } from '../../provider/time.ts';
import type { UserDetails } from '../../store/user-store.ts';

/** Times in ms; null if a time was not given or is not a datetime. */
export interface UserTimes {
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export const userTimesOf = ({ createdAt, updatedAt }: UserDetails, zone: string): UserTimes => ({
  createdAt: timeOf(createdAt, zone),
  updatedAt: timeOf(updatedAt, zone),
});

const timeOf = (given: string | null, zone: string): number | null =>
  given === null ? null : (instantIn(given, zone) ?? null);
