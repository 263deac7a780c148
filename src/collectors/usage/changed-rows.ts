// Decides for each day whether a run reads all rows, or those that were updated since the reading before.

import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { LogSummary } from '../../provider/resources/log-summaries.ts';

/** The rows that were updated at `since` (ms) or later, among which is `newest`, the row with the newest update so far. */
export interface UpdateFilter {
  readonly since: number;
  readonly newest: Newest;
}
export interface Newest {
  readonly id: string;
  readonly updatedAt: number;
}

/** What a reading of all rows says about the filter. */
export interface Evidence {
  /** Known rows that changed, and whose time of update is newer than all before. */
  proofs: number;
  /** New and changed rows that the filter would have left out. */
  leftOut: number;
}

/** All rows are read after this time, because an update may not change the time that the filter compares. */
const ALL_EVERY_MS = DAY / 4;
/** Changes that the provider publishes late are found within this time. */
const OVERLAP_MS = HOUR;
/** For this long after the filter failed, all rows are read. */
const DISTRUST_MS = DAY;
/** Days that end are still known while they can be read as changed rows. */
const KNOWN_DAYS_MS = 2 * DAY;

interface KnownDay {
  readonly filter: UpdateFilter | undefined;
  /** The newest reading of all rows (ms). */
  readonly all: { readonly begunAt: number; readonly endedAt: number };
  /** Whether the filter would have listed what that reading found changed, as far as this says anything. */
  readonly isProven: boolean;
}

interface Reading {
  readonly startedAt: number;
  readonly now: number;
  readonly newest: Newest | undefined;
  /** Undefined for a reading of changed rows. */
  readonly evidence: Evidence | undefined;
}

/** After a restart, all rows are read until the filter has proved itself again. */
export class ChangedRows {
  readonly #days = new Map<number, KnownDay>();
  #distrustedUntil = 0;

  /** Returns the filter for changes since the newest reading; undefined if that had no time of update. */
  filterOf(day: number): UpdateFilter | undefined {
    return this.#days.get(day)?.filter;
  }

  /** Returns when the newest reading of all rows began (ms); undefined if it is not known. */
  allReadAt(day: number): number | undefined {
    return this.#days.get(day)?.all.begunAt;
  }

  /** Whether changed rows are enough for a day that ends at `dayEnd` (ms). Once it has ended, all rows are read first. */
  areEnough(day: number, now: number, dayEnd: number): boolean {
    const { filter, all, isProven } = this.#days.get(day) ?? {};
    if (!filter || !all || !isProven || now < this.#distrustedUntil) return false;
    const isRecent = now >= all.endedAt && now - all.endedAt < ALL_EVERY_MS;
    return isRecent && (now < dayEnd || all.begunAt >= dayEnd);
  }

  recordReading(day: number, { startedAt, now, newest, evidence }: Reading): void {
    const before = this.#days.get(day);
    // A row that changed after its page was read may be older than the newest one.
    const since = Math.min(newest?.updatedAt ?? startedAt, startedAt) - OVERLAP_MS;
    this.#days.set(day, {
      // A request has whole seconds.
      filter: newest && { since: Math.floor(since / SECOND) * SECOND, newest },
      all: before && !evidence ? before.all : { begunAt: startedAt, endedAt: now },
      isProven: before && evidence ? isProof(evidence, before.isProven) : (before?.isProven ?? false),
    });
    for (const other of this.#days.keys()) if (other < day - KNOWN_DAYS_MS) this.#days.delete(other);
  }

  /** Forgets a day whose rows no longer change at any time. */
  forget(day: number): void {
    this.#days.delete(day);
  }

  distrust(now: number): void {
    this.#distrustedUntil = now + DISTRUST_MS;
  }
}

const isProof = ({ proofs, leftOut }: Evidence, wasProven: boolean): boolean =>
  leftOut === 0 && (proofs > 0 || wasProven);

/** Returns the row with the newest update. */
export const newestOf = (known: Newest | undefined, rows: readonly LogSummary[]): Newest | undefined => {
  let newest = known;
  for (const { id, updatedAt } of rows)
    if (updatedAt !== null && updatedAt > (newest?.updatedAt ?? 0)) newest = { id, updatedAt };
  return newest;
};

export const isLeftOut = ({ since }: UpdateFilter, { updatedAt }: LogSummary): boolean =>
  updatedAt === null || updatedAt < since;
