// Decides for each day whether a run reads all rows, or those that were updated since the newest known update.

import { DAY, HOUR } from '../../lib/time.ts';
import type { LogSummary } from '../../provider/resources/log-summaries.ts';

/** The row of a day with the newest update. Rows that were updated at `since` (ms) or later are read, and it is among them. */
export interface Anchor {
  readonly id: string;
  readonly updatedAt: number;
  readonly since: number;
}

/** All rows are read after this time, because an update may not change the time that the filter compares. */
const WHOLE_EVERY_MS = DAY / 4;
/** Changes that the provider publishes late are found within this time. */
const OVERLAP_MS = HOUR;
/** For this long after the filter failed, all rows are read. */
const DISTRUST_MS = DAY;

/** How many rows changed since the reading before, and how many of them the filter would have left out. */
export interface Sightings {
  changed: number;
  unfiltered: number;
}

interface KnownDay {
  readonly anchor: Anchor | undefined;
  /** When all rows were last read (ms). */
  readonly allAt: number;
}

/** After a restart, all rows are read until the filter has proved itself again. */
export class ChangedRows {
  readonly #days = new Map<number, KnownDay>();
  /** Whether the filter would have listed all rows that the newest reading of all rows found changed. */
  #isProven = false;
  #distrustedUntil = 0;

  anchorOf(day: number): Anchor | undefined {
    return this.#days.get(day)?.anchor;
  }

  /** Whether changed rows are enough for a day that ends at `dayEnd` (ms). Once it has ended, all rows are read first. */
  areEnough(day: number, now: number, dayEnd: number): boolean {
    const { anchor, allAt = 0 } = this.#days.get(day) ?? {};
    const isUsable = anchor !== undefined && this.#isProven && now >= this.#distrustedUntil;
    return isUsable && now - allAt < WHOLE_EVERY_MS && (now < dayEnd || allAt >= dayEnd);
  }

  /** Records a reading of a day that began at `startedAt` (ms). With `sightings`, it was one of all rows. */
  know(day: number, anchor: Anchor | undefined, startedAt: number, sightings?: Sightings): void {
    const allAt = sightings ? startedAt : (this.#days.get(day)?.allAt ?? 0);
    if (sightings && sightings.changed > 0 && this.#days.has(day))
      this.#isProven = sightings.unfiltered === 0;
    this.#days.set(day, { anchor, allAt });
    for (const other of this.#days.keys()) if (other < day - DAY) this.#days.delete(other);
  }

  distrust(now: number): void {
    this.#distrustedUntil = now + DISTRUST_MS;
  }
}

export const noteChanged = (
  sightings: Sightings,
  since: number | undefined,
  changed: readonly LogSummary[],
): void => {
  sightings.changed += changed.length;
  for (const { updatedAt } of changed)
    if (since === undefined || updatedAt === null || updatedAt < since) sightings.unfiltered += 1;
};

/** Returns the anchor after these rows. */
export const anchorAfter = (known: Anchor | undefined, rows: readonly LogSummary[]): Anchor | undefined => {
  let newest = known;
  for (const { id, updatedAt } of rows)
    if (updatedAt !== null && updatedAt > (newest?.updatedAt ?? 0))
      newest = { id, updatedAt, since: updatedAt - OVERLAP_MS };
  return newest;
};
