// When a proxy user was made and last became another one: datetimes of the provider's zone, as instants.

import { instantOf, parseLocal } from '../../provider/time.ts';
import type { UserDetails } from '../../store/user-store.ts';

/** In ms; null where it was not given, or is no datetime. */
export interface UserTimes {
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export const timesOf = ({ createdAt, updatedAt }: UserDetails, zone: string): UserTimes => ({
  createdAt: instantIn(createdAt, zone),
  updatedAt: instantIn(updatedAt, zone),
});

const instantIn = (given: string | null, zone: string): number | null => {
  const local = given === null ? undefined : parseLocal(given);
  return local === undefined ? null : instantOf(local, zone);
};
