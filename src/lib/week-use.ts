// Gathers use by slots of the week, to learn each when it is over.

import { DAY } from './time.ts';
import { learn, SLOT_MS, type WeekProfile } from './week-profile.ts';

/** What is kept of a subject's week. */
export interface WeekUse {
  /** When it was last seen to have used bytes (ms); the rates are those of this time. */
  readonly at: number;
  /** Bytes used in the slot of the week that holds `at`; null when its beginning was not seen. */
  readonly slotBytes: number | null;
  /** Null before a slot of the week was seen whole. */
  readonly profile: WeekProfile | null;
}

/** A longer rest is no rhythm of the week, and a longer gap between polls tells nothing of the slots in it. */
const MAX_QUIET_MS = 4 * DAY;
const MAX_GAP_MS = DAY;

/**
 * Takes note of `growthBytes` used evenly from `start`, not before `at`, to `end` (ms), or at once when that is
 * not later. Slots that are over by then are learnt; those between two uses are known to be empty.
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
