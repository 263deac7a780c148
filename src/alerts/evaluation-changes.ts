// Gathers what one evaluation changes in the alerts, in slices that are stored one by one so that the event loop stays free.

import type { StoredAlert } from '../store/alert-store.ts';
import { groupKey, isChanged, isFiring } from './state.ts';

/** How many alerts a slice has. Storing them with their history takes about 8 ms. */
const SLICE_ALERTS = 250;

export interface ChangeSlice {
  readonly put: readonly StoredAlert[];
  /** Pending alerts whose condition has ended. */
  readonly removed: readonly StoredAlert[];
  /** Alerts of which only the value may have changed. They are not stored. */
  readonly valueUpdates: readonly StoredAlert[];
  /** Alerts that began to fire. These and the resolved ones are reported. */
  readonly fired: readonly StoredAlert[];
  readonly resolved: readonly StoredAlert[];
  /** Alerts that fired already, and now are at another step. */
  readonly stepped: readonly StoredAlert[];
}

export class EvaluationChanges {
  readonly now: number;
  readonly #slices: SliceBuilder[] = [];
  readonly #groups = new Set<string>();

  constructor(now: number) {
    this.now = now;
  }

  get slices(): readonly ChangeSlice[] {
    return this.#slices;
  }

  /** Whether the evaluation has added any subject of this alert of the account. */
  includes(account: string, alert: string): boolean {
    return this.#groups.has(groupKey(account, alert));
  }

  add(before: StoredAlert | undefined, after: StoredAlert | undefined): void {
    const subject = after ?? before;
    if (!subject) return;
    this.#groups.add(groupKey(subject.account, subject.alert));
    this.#openSlice().add(before, after, this.now);
  }

  /** Ends the alert immediately, whether its condition holds or not. */
  end(alert: StoredAlert): void {
    this.add(alert, isFiring(alert) ? { ...alert, endedAt: this.now } : undefined);
  }

  #openSlice(): SliceBuilder {
    const last = this.#slices.at(-1);
    if (last && last.size < SLICE_ALERTS) return last;
    const next = new SliceBuilder();
    this.#slices.push(next);
    return next;
  }
}

class SliceBuilder implements ChangeSlice {
  readonly put: StoredAlert[] = [];
  readonly removed: StoredAlert[] = [];
  readonly valueUpdates: StoredAlert[] = [];
  readonly fired: StoredAlert[] = [];
  readonly resolved: StoredAlert[] = [];
  readonly stepped: StoredAlert[] = [];

  get size(): number {
    return this.put.length + this.removed.length + this.valueUpdates.length;
  }

  add(before: StoredAlert | undefined, after: StoredAlert | undefined, now: number): void {
    const wasFiring = before !== undefined && isFiring(before);
    const hasNewSeverity = before?.severity !== after?.severity;
    // An alert with a new severity counts as another alert, because receivers route by severity.
    if (wasFiring && (after?.endedAt || hasNewSeverity)) this.resolved.push({ ...before, endedAt: now });
    if (after && isFiring(after) && (!wasFiring || hasNewSeverity)) this.fired.push(after);
    else if (after && isFiring(after) && before?.step !== after.step) this.stepped.push(after);
    if (!after) this.removed.push(...(before ? [before] : []));
    else if (isChanged(before, after)) this.put.push(after);
    else this.valueUpdates.push(after);
  }
}
