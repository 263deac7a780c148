// Converts the times at which a proxy user was created and last updated from the provider's time zone to instants.

import { DAY, MINUTE } from '../../lib/time.ts';
import { formatLocal, instantIn } from '../../provider/time.ts';
import type { UserDetails, UserObservation } from '../../store/user-store.ts';

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

/** The largest allowed difference between the clocks. */
const CLOCK_TOLERANCE_MS = 10 * MINUTE;

/** Reads when users were created. It ignores the provider's times once one of them lies in the future. */
export class CreationTimes {
  readonly #zone: string;
  #hasFutureTime = false;

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Looks for times in the future, because a wrong time zone makes all times wrong. */
  checkTimes(users: readonly UserObservation[], now: number): void {
    const latest = now + CLOCK_TOLERANCE_MS;
    // A datetime of an earlier day is past with every offset. Most are, and are not parsed.
    const recentDay = formatLocal(now - DAY, 'UTC').slice(0, 'YYYY-MM-DD'.length);
    const isFuture = (given: string | null): boolean =>
      given !== null && given >= recentDay && (instantIn(given, this.#zone) ?? 0) > latest;
    this.#hasFutureTime ||= users.some(
      ({ details: { createdAt, updatedAt } }) => isFuture(createdAt) || isFuture(updatedAt),
    );
  }

  /** Returns when the user was created (ms); null if that is unknown. */
  createdAt(user: UserObservation): number | null {
    return this.#hasFutureTime ? null : userTimesOf(user.details, this.#zone).createdAt;
  }
}
