// Holds a group of alerts at one receiver, and computes when the receiver must be notified of it.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { RoutingOptions } from '../receivers/routing-options.ts';

export type Timers = Pick<RoutingOptions, 'group_interval' | 'repeat_every'>;

/** Alerts are known by their `severityKey`. Times are in ms. */
export class Group {
  readonly key: string;
  /** When the receiver was last notified; undefined if it knows of no alert of the group. */
  notifiedAt: number | undefined;
  /** Firing alerts that the receiver must be notified of, with the time at which they are due. One that rose is also in `notified`. */
  readonly waiting = new Map<string, number>();
  /** Firing alerts that the receiver was notified of, with the step that it knows. */
  readonly notified = new Map<string, number>();
  /** Alerts that the receiver was notified of and that have ended. One that fires again is also waiting. */
  readonly ended = new Map<string, StoredAlert>();
  /** When the receiver was notified that an alert fires that is in `notified` or `ended`. */
  readonly firstNotifiedAt = new Map<string, number>();
  /** Until when no notified alert needs a repetition, because all of them are muted or no longer for the receiver. */
  quietUntil = Number.NEGATIVE_INFINITY;
  /** When the group is due, unless it changes before. */
  checkAt = Number.NEGATIVE_INFINITY;

  constructor(key: string) {
    this.key = key;
  }

  get labels(): Readonly<Record<string, string>> {
    return JSON.parse(this.key);
  }

  get isEmpty(): boolean {
    return this.waiting.size + this.notified.size + this.ended.size === 0;
  }

  /** Whether the receiver knows of no alert of the group any more. */
  get isForgotten(): boolean {
    return this.notified.size + this.ended.size === 0;
  }

  /** Returns the step that the receiver knows of the alert; undefined if it does not know the alert. */
  knownStep(key: string): number | undefined {
    return this.notified.get(key) ?? this.ended.get(key)?.step;
  }

  /** Lets a later rise be a new one, if the receiver knows the alert. */
  fall(key: string, step: number): void {
    const [known, ended] = [this.notified.get(key), this.ended.get(key)];
    if (known !== undefined) this.notified.set(key, knownStepAfter(known, step));
    if (ended) this.ended.set(key, withStep(ended, knownStepAfter(ended.step, step)));
  }

  /** Returns when the receiver must be notified next. */
  dueAt(timers: Timers, quietUntil = this.quietUntil): number {
    const repeatAt = Math.max(this.repeatDueAt(timers), quietUntil);
    return Math.min(this.newsDueAt(timers), repeatAt);
  }

  /** Returns when the receiver must be notified of alerts that began or ended. */
  newsDueAt({ group_interval }: Timers): number {
    const next = (this.notifiedAt ?? Number.NEGATIVE_INFINITY) + group_interval;
    return this.ended.size > 0 ? next : Math.max(next, this.#firstWaitingUntil());
  }

  isRepeatDue(timers: Timers, now: number): boolean {
    return now >= this.repeatDueAt(timers);
  }

  /** Returns when a notification is repeated, unless the receiver is notified before or all alerts are muted. */
  repeatDueAt({ group_interval, repeat_every }: Timers): number {
    if (this.notified.size === 0) return Number.POSITIVE_INFINITY;
    return (this.notifiedAt ?? Number.NEGATIVE_INFINITY) + Math.max(group_interval, repeat_every);
  }

  #firstWaitingUntil(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const at of this.waiting.values()) if (at < first) first = at;
    return first;
  }
}

/** Whether the receiver must be notified again of an alert whose step it knows. 0 means that it knows none. */
export const isRisen = ({ step }: StoredAlert, knownStep: number): boolean =>
  knownStep > 0 && step > knownStep;

/** Returns the step that the receiver knows after the alert moved to `step`, so that a later rise from there is a new one. */
export const knownStepAfter = (knownStep: number, step: number): number =>
  knownStep === 0 ? step : Math.min(knownStep, step);

/** Returns the alert with another step. An alert that has this step already is not copied, because there may be many. */
export const withStep = (alert: StoredAlert, step: number): StoredAlert =>
  alert.step === step ? alert : { ...alert, step };
