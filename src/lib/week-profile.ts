// Learns which parts of the week are busy and which are quiet, as 21 numbers.

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

export interface Learnt {
  count: number;
  /** How well slots repeat the week before: the slope of a linear regression, from 0 to 1. */
  trust: number;
  readonly use: number[];
}

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

/** Decodes a profile. */
export const unpack = (profile: WeekProfile): Learnt => {
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
