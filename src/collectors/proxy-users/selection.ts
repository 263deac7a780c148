// Selects the users with series of their own: the configured ones, and always those with a quota problem.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import type { StoredUser } from '../../store/user-store.ts';
import type { ProxyUserOptions } from './options.ts';
import type { QuotaState, QuotaStatus } from './quota-status.ts';

const PROBLEM_STATES: ReadonlySet<QuotaState | undefined> = new Set(['low', 'soon', 'exhausted']);

/** Finds the smallest use among the `count` largest ones. */
export class TopUsage {
  readonly #count: number;
  #largest: number[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /** Adds the use of a user (bytes). A user that used nothing is never among the top, even if there are few others. */
  add(bytes: number): void {
    if (this.#count === 0 || bytes === 0) return;
    this.#largest.push(bytes);
    // Sorting occasionally keeps the list short without a heap.
    if (this.#largest.length > 4 * this.#count + 1_000) this.#trim();
  }

  /** Returns the use of the last user in the top (bytes); infinite if the top is empty. */
  threshold(): number {
    this.#trim();
    return this.#largest.at(-1) ?? Number.POSITIVE_INFINITY;
  }

  #trim(): void {
    this.#largest = this.#largest.sort((a, b) => b - a).slice(0, this.#count);
  }
}

export const usedBytesOf = ({ quotas }: StoredUser): number =>
  METERED_TYPES.reduce((sum, type) => sum + (quotas[type].usedBytes ?? 0), 0);

/** Whether the user can have series of its own. */
export const isEligible = (
  { isDeleted }: StoredUser,
  { include_deleted }: ProxyUserOptions['select'],
): boolean => !isDeleted || include_deleted;

/** Whether the user has series of its own. Users with a use of at least `topThreshold` bytes are the top. */
export const isSelected = (
  user: StoredUser,
  { select }: ProxyUserOptions,
  statuses: Readonly<Record<MeteredType, QuotaStatus>>,
  topThreshold: number,
): boolean => {
  if (!isEligible(user, select)) return false;
  if (select.ids.length === 0 && select.top === 0) return true;
  if (select.ids.includes(user.id) || usedBytesOf(user) >= topThreshold) return true;
  return hasQuotaProblem(statuses);
};

/** Whether one of the user's quotas is low, exhausted soon, or exhausted. */
export const hasQuotaProblem = (statuses: Readonly<Record<MeteredType, QuotaStatus>>): boolean =>
  METERED_TYPES.some((type) => PROBLEM_STATES.has(statuses[type].state));
