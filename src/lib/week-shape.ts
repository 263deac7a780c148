// The rhythm of a week as a warp of time: busy hours are long ones, quiet hours short ones.

import { DAY } from './time.ts';
import { meanOf, placeOf, SLOT_MS, SLOTS, unpack, type WeekProfile } from './week-profile.ts';

/** Use expected in each slot, as a multiple of the mean: 1 is the mean of them all. */
export type WeekShape = readonly number[];

/** From this trust on a rhythm is believed whole: only after many weeks would even a perfect one be trusted by 1. */
const FULL_TRUST = 0.9;

/** Undefined while no rhythm is known: in the first two weeks, or where weeks do not repeat. */
export const shapeOf = (profile: WeekProfile | null): WeekShape | undefined => {
  if (!profile) return undefined;
  const { count, trust, use } = unpack(profile);
  const mean = meanOf(use);
  if (count < 2 * SLOTS || trust === 0 || mean === 0) return undefined;
  const belief = Math.min(1, trust / FULL_TRUST);
  for (let place = 0; place < SLOTS; place += 1) use[place] = 1 + belief * ((use[place] ?? 0) / mean - 1);
  return use;
};

/** Mean of the shape before `at`, with weights that halve every `halfLifeMs` into the past. */
export const meanBefore = (shape: WeekShape, at: number, halfLifeMs: number): number => {
  const present = Math.floor(at / SLOT_MS);
  const slotFade = 2 ** (-SLOT_MS / halfLifeMs);
  let weight = 2 ** ((present * SLOT_MS - at) / halfLifeMs);
  let place = placeOf(present);
  let sum = (shape[place] ?? 0) * (1 - weight);
  for (let slot = 1; slot < SLOTS; slot += 1) {
    place = place === 0 ? SLOTS - 1 : place - 1;
    sum += (shape[place] ?? 0) * weight * (1 - slotFade);
    weight *= slotFade;
  }
  // Every week is like the last one: its weighted mean is that of all of them.
  const weekFade = slotFade ** SLOTS;
  sum += (shape[placeOf(present)] ?? 0) * (weight - weekFade);
  return sum / (1 - weekFade);
};

/** Milliseconds from `from` until as much is used as would be in `evenMs` of the mean. */
export const unwarp = (shape: WeekShape, from: number, evenMs: number): number => {
  const weeks = Math.floor(evenMs / (7 * DAY));
  let missing = evenMs - weeks * 7 * DAY;
  let ahead = weeks * 7 * DAY;
  const present = Math.floor(from / SLOT_MS);
  let lengthMs = (present + 1) * SLOT_MS - from;
  for (let slot = present; slot <= present + SLOTS; slot += 1) {
    const pace = shape[placeOf(slot)] ?? 0;
    if (pace * lengthMs >= missing) return ahead + (missing > 0 ? missing / pace : 0);
    missing -= pace * lengthMs;
    ahead += lengthMs;
    lengthMs = SLOT_MS;
  }
  return ahead;
};
