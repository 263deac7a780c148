// Learns which parts of the week are busy and which are quiet, as 21 numbers, and applies this rhythm to a forecast.

import { DAY, HOUR } from './time.ts';

/** Long enough to learn a slot from two weeks, and short enough to find the start of a weekend in any time zone. */
export const SLOT_MS = 8 * HOUR;
export const SLOTS = (7 * DAY) / SLOT_MS;

/**
 * A packed profile of the week. Its bytes are: the number of learnt slots (255 at most), the trust in them (of 255), the
 * scale as an exponent of 2, then one byte for each slot. The square of that byte times the scale is the use in bytes.
 */
export type WeekProfile = Uint8Array;

const HEADER = 3;
const MAX_BYTE = 255;

/** The weight of a slot's newest week against the weeks before. It is higher in the second week, after only one. */
const NEWEST_WEIGHT = 1 / 3;
/** By how much, as a multiple of the mean, a new use of a slot may exceed the learnt one, because a burst is no rhythm. */
const MAX_EXCESS = 0.5;
/** A profile with a variance below this counts as flat. */
const FLAT = 0.003;

type Learnt = ReturnType<typeof unpack>;

/** Returns the profile after `uses` (bytes, 0 or more) were observed in the slots from number `slot` (since 1970) on. */
export const learn = (
  profile: WeekProfile | null,
  slot: number,
  uses: readonly number[],
): WeekProfile | null => {
  if (uses.length === 0) return profile;
  const learnt = profile
    ? unpack(profile)
    : { count: 0, trust: 0, use: Array.from({ length: SLOTS }, () => 0) };
  uses.forEach((bytes, index) => {
    learnSlot(learnt, indexInWeek(slot + index), bytes);
  });
  return pack(learnt);
};

/** Returns the index in the week of a slot numbered since 1970 (UTC). These weeks start on a Thursday, which does not matter. */
export const indexInWeek = (slot: number): number => ((slot % SLOTS) + SLOTS) % SLOTS;

const learnSlot = (learnt: Learnt, index: number, bytes: number): void => {
  const { use } = learnt;
  const expectedBytes = use[index] ?? 0;
  const mean = meanOf(use);
  const week = Math.floor(learnt.count / SLOTS);
  if (week === 0 || mean === 0) use[index] = bytes;
  else {
    learnTrust(learnt, mean, expectedBytes, bytes);
    const believed = Math.min(bytes, expectedBytes + MAX_EXCESS * mean);
    use[index] = expectedBytes + Math.max(NEWEST_WEIGHT, 1 / (week + 1)) * (believed - expectedBytes);
  }
  learnt.count = Math.min(MAX_BYTE, learnt.count + 1);
};

/**
 * Updates the slope of observed over expected use, both relative to the mean. In the first week of updates all slots
 * have the same weight. After that the newest slot has a weight of 1/21.
 */
const learnTrust = (learnt: Learnt, mean: number, expectedBytes: number, seen: number): void => {
  const weight = Math.max(1 / (learnt.count - SLOTS + 2), 1 / SLOTS);
  const expected = expectedBytes / mean - 1;
  const missed = seen / mean - 1 - learnt.trust * expected;
  const step = (weight * expected * missed) / (varianceOf(learnt.use, mean) + FLAT);
  learnt.trust = Math.min(1, Math.max(0, learnt.trust + step));
};

// The code below uses loops and products, because array methods and powers would take most of the time of a forecast.

export const meanOf = (use: readonly number[]): number => {
  let sum = 0;
  for (let index = 0; index < SLOTS; index += 1) sum += use[index] ?? 0;
  return sum / SLOTS;
};

const varianceOf = (use: readonly number[], mean: number): number => {
  let sum = 0;
  for (let index = 0; index < SLOTS; index += 1) {
    const difference = (use[index] ?? 0) / mean - 1;
    sum += difference * difference;
  }
  return sum / SLOTS;
};

/** Decodes a profile. `trust` is how well slots repeat the week before: the slope of a linear regression, from 0 to 1. */
export const unpack = (profile: WeekProfile) => {
  const scale = 2 ** (((profile[2] ?? 0) << 24) >> 24);
  const use: number[] = [];
  for (let index = 0; index < SLOTS; index += 1) {
    const root = profile[HEADER + index] ?? 0;
    use.push(root * root * scale);
  }
  return { count: profile[0] ?? 0, trust: (profile[1] ?? 0) / MAX_BYTE, use };
};

const pack = ({ count, trust, use }: Learnt): WeekProfile => {
  const exponent = Math.max(-128, Math.ceil(Math.log2(Math.max(...use) / MAX_BYTE ** 2)));
  const scale = 2 ** exponent;
  const profile = new Uint8Array(HEADER + SLOTS);
  profile[0] = count;
  profile[1] = Math.round(trust * MAX_BYTE);
  profile[2] = exponent;
  for (let index = 0; index < SLOTS; index += 1)
    profile[HEADER + index] = Math.round(Math.sqrt((use[index] ?? 0) / scale));
  return profile;
};

/** The use expected in each slot, as a multiple of the mean of all slots. */
export type WeekShape = readonly number[];

/** From this trust on, a rhythm is applied fully. Even a perfect rhythm reaches a trust of 1 only after many weeks. */
const FULL_TRUST = 0.9;

/** Returns undefined while no rhythm is known: in the first two weeks, or if weeks do not repeat. */
export const shapeOf = (profile: WeekProfile | null): WeekShape | undefined => {
  if (!profile) return undefined;
  const { count, trust, use } = unpack(profile);
  const mean = meanOf(use);
  if (count < 2 * SLOTS || trust === 0 || mean === 0) return undefined;
  const belief = Math.min(1, trust / FULL_TRUST);
  for (let index = 0; index < SLOTS; index += 1) use[index] = 1 + belief * ((use[index] ?? 0) / mean - 1);
  return use;
};

/** Returns the mean of the shape before `at`, with weights that halve every `halfLifeMs` into the past. */
export const meanBefore = (shape: WeekShape, at: number, halfLifeMs: number): number => {
  const present = Math.floor(at / SLOT_MS);
  const slotFade = 2 ** (-SLOT_MS / halfLifeMs);
  let weight = 2 ** ((present * SLOT_MS - at) / halfLifeMs);
  let index = indexInWeek(present);
  let sum = (shape[index] ?? 0) * (1 - weight);
  for (let slot = 1; slot < SLOTS; slot += 1) {
    index = index === 0 ? SLOTS - 1 : index - 1;
    sum += (shape[index] ?? 0) * weight * (1 - slotFade);
    weight *= slotFade;
  }
  // The shape repeats every week, so the weighted mean of the last week is that of the whole past.
  const weekFade = slotFade ** SLOTS;
  sum += (shape[indexInWeek(present)] ?? 0) * (weight - weekFade);
  return sum / (1 - weekFade);
};

/** Returns the milliseconds from `from` until as much is used as in `evenMs` at the mean rate: busy hours count as longer. */
export const unwarp = (shape: WeekShape, from: number, evenMs: number): number => {
  const weeks = Math.floor(evenMs / (7 * DAY));
  let missing = evenMs - weeks * 7 * DAY;
  let ahead = weeks * 7 * DAY;
  const present = Math.floor(from / SLOT_MS);
  let lengthMs = (present + 1) * SLOT_MS - from;
  for (let slot = present; slot <= present + SLOTS; slot += 1) {
    const pace = shape[indexInWeek(slot)] ?? 0;
    if (pace * lengthMs >= missing) return ahead + (missing > 0 ? missing / pace : 0);
    missing -= pace * lengthMs;
    ahead += lengthMs;
    lengthMs = SLOT_MS;
  }
  return ahead;
};

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
