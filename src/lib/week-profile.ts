// Which hours of the week are busy and which quiet, learnt as 21 numbers.

import { DAY, HOUR } from './time.ts';

/** Long enough to be learnt from two weeks, short enough to find where a weekend begins in any time zone. */
export const SLOT_MS = 8 * HOUR;
export const SLOTS = (7 * DAY) / SLOT_MS;

/**
 * What was learnt of a week, packed: how many slots were learnt (255 at most), how far they are to be trusted
 * (of 255), the scale's exponent of 2, then a byte a slot, whose square times the scale is the bytes used in it.
 */
export type WeekProfile = Uint8Array;

const HEADER = 3;
const MAX_BYTE = 255;

/** How much a slot's newest week weighs against those before; more in the second week, when there is but one. */
const NEWEST_WEIGHT = 1 / 3;
/** By how much of the mean a slot may exceed what is known of it: a burst is no rhythm. */
const MAX_SURPRISE = 0.5;
/** A profile that is flatter than this (variance) is as good as flat. */
const FLAT = 0.003;

export interface Learnt {
  count: number;
  /** How well slots repeat the week before: the slope of a regression, from 0 to 1. */
  trust: number;
  readonly use: number[];
}

/** The profile after `uses` (bytes, 0 or more) were seen in the slots from number `slot` (since 1970) on. */
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
    learnSlot(learnt, placeOf(slot + index), bytes);
  });
  return pack(learnt);
};

/** The place in the week of a slot numbered since 1970 (UTC). Weeks so begin on a Thursday, which is no matter. */
export const placeOf = (slot: number): number => ((slot % SLOTS) + SLOTS) % SLOTS;

const learnSlot = (learnt: Learnt, place: number, bytes: number): void => {
  const { use } = learnt;
  const known = use[place] ?? 0;
  const mean = meanOf(use);
  const week = Math.floor(learnt.count / SLOTS);
  if (week === 0 || mean === 0) use[place] = bytes;
  else {
    learnTrust(learnt, mean, known, bytes);
    const believed = Math.min(bytes, known + MAX_SURPRISE * mean);
    use[place] = known + Math.max(NEWEST_WEIGHT, 1 / (week + 1)) * (believed - known);
  }
  learnt.count = Math.min(MAX_BYTE, learnt.count + 1);
};

/** Moves the slope of what came over what was known, both from the mean: to their average at first, then by a 21st. */
const learnTrust = (learnt: Learnt, mean: number, known: number, seen: number): void => {
  const weight = Math.max(1 / (learnt.count - SLOTS + 2), 1 / SLOTS);
  const expected = known / mean - 1;
  const missed = seen / mean - 1 - learnt.trust * expected;
  const step = (weight * expected * missed) / (varianceOf(learnt.use, mean) + FLAT);
  learnt.trust = Math.min(1, Math.max(0, learnt.trust + step));
};

// Loops and products below, as an array's methods and powers would take most of the time of a forecast.

export const meanOf = (use: readonly number[]): number => {
  let sum = 0;
  for (let place = 0; place < SLOTS; place += 1) sum += use[place] ?? 0;
  return sum / SLOTS;
};

const varianceOf = (use: readonly number[], mean: number): number => {
  let sum = 0;
  for (let place = 0; place < SLOTS; place += 1) {
    const difference = (use[place] ?? 0) / mean - 1;
    sum += difference * difference;
  }
  return sum / SLOTS;
};

/** What a profile says. */
export const unpack = (profile: WeekProfile): Learnt => {
  const scale = 2 ** (((profile[2] ?? 0) << 24) >> 24);
  const use: number[] = [];
  for (let place = 0; place < SLOTS; place += 1) {
    const root = profile[HEADER + place] ?? 0;
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
  for (let place = 0; place < SLOTS; place += 1)
    profile[HEADER + place] = Math.round(Math.sqrt((use[place] ?? 0) / scale));
  return profile;
};
