// When users were made, by times of the provider that are believed as long as none of them is still to come.

import { MINUTE } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';
import type { UserSighting } from '../../store/user-store.ts';
import { timesOf } from './user-times.ts';

/** What clocks may differ by. */
const TOLERANCE_MS = 10 * MINUTE;

export class Births {
  readonly #zone: string;
  #isAhead = false;

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Looks for times of the future among the users: in another zone than the provider's all of them are wrong. */
  see(users: readonly UserSighting[], now: number): void {
    const latest = formatLocal(now + TOLERANCE_MS, this.#zone);
    this.#isAhead ||= users.some(
      ({ details: { createdAt, updatedAt } }) => (createdAt ?? '') > latest || (updatedAt ?? '') > latest,
    );
  }

  /** When the user was made (ms); null where that cannot be told. */
  of(user: UserSighting): number | null {
    return this.#isAhead ? null : timesOf(user.details, this.#zone).createdAt;
  }
}
