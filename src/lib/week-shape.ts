// Applies the weekly rhythm to a forecast by warping time: busy hours count as longer, quiet hours as shorter.

import { DAY } from './time.ts';
import { indexInWeek, meanOf, SLOT_MS, SLOTS, unpack, type WeekProfile } from './week-profile.ts';

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

/** Returns the milliseconds from `from` until as much is used as in `evenMs` at the mean rate. */
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
