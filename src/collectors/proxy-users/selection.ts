// Which users get series of their own: the configured ones, and always those in trouble.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import type { StoredUser } from '../../store/user-store.ts';
import type { ProxyUserOptions } from './options.ts';
import type { QuotaStanding, QuotaState } from './quota.ts';

const TROUBLE: ReadonlySet<QuotaState | undefined> = new Set(['low', 'soon', 'exhausted']);

/** The smallest use that is among the `top` of those offered. */
export class TopUse {
  readonly #size: number;
  #uses: number[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Who used nothing is not among the top, however few used anything. */
  offer(bytes: number): void {
    if (this.#size === 0 || bytes === 0) return;
    this.#uses.push(bytes);
    // Sorting now and then keeps it small without a heap.
    if (this.#uses.length > 4 * this.#size + 1_000) this.#cut();
  }

  /** Users at or above it are the top; infinite when no top was asked for. */
  threshold(): number {
    this.#cut();
    return this.#uses.at(-1) ?? Number.POSITIVE_INFINITY;
  }

  #cut(): void {
    this.#uses = this.#uses.sort((a, b) => b - a).slice(0, this.#size);
  }
}

export const useOf = ({ quotas }: StoredUser): number =>
  METERED_TYPES.reduce((sum, type) => sum + (quotas[type].usedBytes ?? 0), 0);

/** Whether the user may have series of its own at all. */
export const isEligible = (
  { isDeleted }: StoredUser,
  { include_deleted }: ProxyUserOptions['select'],
): boolean => !isDeleted || include_deleted;

/** Whether the user has series of its own, where users of at least `topThreshold` bytes are the top. */
export const isSelected = (
  user: StoredUser,
  { select }: ProxyUserOptions,
  standings: Readonly<Record<MeteredType, QuotaStanding>>,
  topThreshold: number,
): boolean => {
  if (!isEligible(user, select)) return false;
  if (select.ids.length === 0 && select.top === 0) return true;
  if (select.ids.includes(user.id) || useOf(user) >= topThreshold) return true;
  return isInTrouble(standings);
};

/** Whether the user is low on bytes, will be soon, or is out of them. */
export const isInTrouble = (standings: Readonly<Record<MeteredType, QuotaStanding>>): boolean =>
  METERED_TYPES.some((type) => TROUBLE.has(standings[type].state));
