// Sums the use in each slot of the week, and learns a slot when it is over.

import { DAY } from './time.ts';
import { learn, SLOT_MS, type WeekProfile } from './week-profile.ts';

/** The stored state of a subject's weekly use. */
export interface WeekUse {
  /** When bytes were last used (ms). The rates are as of this time. */
  readonly at: number;
  /** Bytes used in the slot of the week that contains `at`; null if the start of the slot was not observed. */
  readonly slotBytes: number | null;
  /** Null until a whole slot of the week was observed. */
  readonly profile: WeekProfile | null;
}

/** A longer rest is not part of a weekly rhythm. */
const MAX_QUIET_MS = 4 * DAY;
/** A longer gap between polls does not show in which of its slots the bytes were used. */
const MAX_GAP_MS = DAY;

/**
 * Adds `growthBytes` that were used evenly from `start` (not before `at`) to `end` (ms), or all at `end` if `start` is not
 * earlier. It learns the slots that are over by then. Slots between two uses are known to be empty.
 */
export const observeWeek = (
  { at, slotBytes, profile }: WeekUse,
  growthBytes: number,
  start: number,
  end: number,
): Pick<WeekUse, 'slotBytes' | 'profile'> => {
  const last = Math.floor(end / SLOT_MS);
  const first = Math.floor(at / SLOT_MS);
  if (first === last) return { slotBytes: slotBytes === null ? null : slotBytes + growthBytes, profile };
  if (end - start > MAX_GAP_MS) return { slotBytes: null, profile };
  const growthIn = (slot: number): number => {
    if (end <= start) return slot === last ? growthBytes : 0;
    const withinMs = Math.min(end, (slot + 1) * SLOT_MS) - Math.max(start, slot * SLOT_MS);
    return (growthBytes * Math.max(0, withinMs)) / (end - start);
  };
  const present = growthIn(last);
  if (end - at > MAX_QUIET_MS) return { slotBytes: present, profile };
  const known = slotBytes === null ? first + 1 : first;
  const uses = Array.from({ length: last - known }, (_, index) => {
    const before = known + index === first ? (slotBytes ?? 0) : 0;
    return Math.max(0, before + growthIn(known + index));
  });
  return { slotBytes: present, profile: learn(profile, known, uses) };
};
