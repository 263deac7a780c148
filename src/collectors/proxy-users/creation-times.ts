// When users were created, by the provider's times, which are used only as long as none of them lies in the future.

import { MINUTE } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';
import type { UserObservation } from '../../store/user-store.ts';
import { timesOf } from './user-times.ts';

/** The most that clocks may differ. */
const TOLERANCE_MS = 10 * MINUTE;

export class CreationTimes {
  readonly #zone: string;
  #isAhead = false;

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Looks for times in the future: with a wrong time zone all times are wrong. */
  see(users: readonly UserObservation[], now: number): void {
    const latest = formatLocal(now + TOLERANCE_MS, this.#zone);
    this.#isAhead ||= users.some(
      ({ details: { createdAt, updatedAt } }) => (createdAt ?? '') > latest || (updatedAt ?? '') > latest,
    );
  }

  /** When the user was created (ms); null if that is unknown. */
  of(user: UserObservation): number | null {
    return this.#isAhead ? null : timesOf(user.details, this.#zone).createdAt;
  }
}
