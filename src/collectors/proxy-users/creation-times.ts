// Reads when users were created. It ignores the provider's times once one of them lies in the future.

import { DAY, MINUTE } from '../../lib/time.ts';
import { formatLocal, instantIn } from '../../provider/time.ts';
import type { UserObservation } from '../../store/user-store.ts';
import { userTimesOf } from './user-times.ts';

/** The largest allowed difference between the clocks. */
const CLOCK_TOLERANCE_MS = 10 * MINUTE;

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
