// What one evaluation changes in the alerts, in slices: each is stored and logged by itself, with the event loop free in between.

import type { StoredAlert } from '../store/alert-store.ts';
import { groupOf, isChanged, isFiring } from './state.ts';

/** Alerts of a slice: some 5 ms to store. */
const SLICE_ALERTS = 500;

export interface Changes {
  readonly put: readonly StoredAlert[];
  /** Pending ones whose condition has ended. */
  readonly removed: readonly StoredAlert[];
  /** Those of which only the value may have changed. */
  readonly seen: readonly StoredAlert[];
  /** Those to report: they began to fire, or ended. */
  readonly fired: readonly StoredAlert[];
  readonly resolved: readonly StoredAlert[];
}

export class Pass {
  readonly now: number;
  readonly #slices: Slice[] = [];
  readonly #groups = new Set<string>();

  constructor(now: number) {
    this.now = now;
  }

  get slices(): readonly Changes[] {
    return this.#slices;
  }

  /** Whether it has looked at any of the account's alerts of the name. */
  hasSeen(account: string, alert: string): boolean {
    return this.#groups.has(groupOf(account, alert));
  }

  step(before: StoredAlert | undefined, after: StoredAlert | undefined): void {
    const subject = after ?? before;
    if (!subject) return;
    this.#groups.add(groupOf(subject.account, subject.alert));
    this.#slice().step(before, after, this.now);
  }

  /** Ends the alert at once, whatever its condition. */
  end(alert: StoredAlert): void {
    this.step(alert, isFiring(alert) ? { ...alert, endedAt: this.now } : undefined);
  }

  #slice(): Slice {
    const last = this.#slices.at(-1);
    if (last && last.size < SLICE_ALERTS) return last;
    const next = new Slice();
    this.#slices.push(next);
    return next;
  }
}

class Slice implements Changes {
  readonly put: StoredAlert[] = [];
  readonly removed: StoredAlert[] = [];
  readonly seen: StoredAlert[] = [];
  readonly fired: StoredAlert[] = [];
  readonly resolved: StoredAlert[] = [];

  get size(): number {
    return this.put.length + this.removed.length + this.seen.length;
  }

  step(before: StoredAlert | undefined, after: StoredAlert | undefined, now: number): void {
    const wasFiring = before !== undefined && isFiring(before);
    const isOther = before?.severity !== after?.severity;
    // A changed severity counts as another alert, because receivers route by severity.
    if (wasFiring && (after?.endedAt || isOther)) this.resolved.push({ ...before, endedAt: now });
    if (after && isFiring(after) && (!wasFiring || isOther)) this.fired.push(after);
    if (!after) this.removed.push(...(before ? [before] : []));
    else if (isChanged(before, after)) this.put.push(after);
    else this.seen.push(after);
  }
}
