// When bytes run out, from three decaying rates of use and a rhythm of the week that stand for the whole history.

import { DAY, HOUR, SECOND } from './time.ts';
import { meanBefore, shapeOf, unwarp, type WeekShape } from './week-shape.ts';
import { observeWeek, type WeekUse } from './week-use.ts';

/** How fast a subject uses bytes: a few numbers, kept in its row. */
export interface Rates extends WeekUse {
  /** Since when the subject has been observed (ms). */
  readonly since: number;
  /** Bytes a second, averaged with weights that halve every hour, day and week into the past. */
  readonly hour: number;
  readonly day: number;
  readonly week: number;
}

/** Less history does not hold a whole daily rhythm. */
export const MIN_HISTORY_MS = DAY;
/** Who used nothing for longer has stopped: long enough for a job that runs once a day at no fixed hour. */
export const MAX_REST_MS = 36 * HOUR;
/** Further away a date says no more than "not soon", and may not be a date any more. */
export const MAX_AHEAD_MS = 3_650 * DAY;

const HALF_LIFE_MS = { hour: HOUR, day: DAY, week: 7 * DAY } as const;

/** Rates of a subject that is observed from `since` (ms) on. */
export const newRates = (since: number): Rates => ({
  since,
  at: since,
  hour: 0,
  day: 0,
  week: 0,
  slotBytes: null,
  profile: null,
});

/**
 * Rates after `growthBytes` (negative for a correction) appeared between the polls at `from` and `at` (ms).
 * They are spread evenly over that gap, however long. No growth gives back the same rates: they decay when read.
 */
export const observe = (rates: Rates, growthBytes: number, from: number, at: number): Rates => {
  if (growthBytes === 0) return rates;
  // A wall clock may go back; bytes then count as if they came at once at the newest time known.
  const end = Math.max(at, rates.at);
  const start = Math.max(from, rates.at);
  const gapMs = end - start;
  const restMs = end - rates.at;
  const grown = (rate: number, halfLifeMs: number): number =>
    rate * remaining(restMs, halfLifeMs) + growthBytes * weightPerByte(gapMs, halfLifeMs);
  return {
    since: rates.since,
    at: end,
    hour: grown(rates.hour, HALF_LIFE_MS.hour),
    day: grown(rates.day, HALF_LIFE_MS.day),
    week: grown(rates.week, HALF_LIFE_MS.week),
    ...observeWeek(rates, growthBytes, start, end),
  };
};

/**
 * When `leftBytes` will be used up (ms), as seen at `at` (ms; the newest complete listing). Undefined when
 * nothing is left, the history is too short, nothing is being used, or the time is out of all proportion.
 */
export const forecastExhaustion = (rates: Rates, leftBytes: number, at: number): number | undefined => {
  const readAt = Math.max(at, rates.at);
  if (leftBytes <= 0 || !hasHistory(rates, at) || readAt - rates.at > MAX_REST_MS) return undefined;
  const shape = shapeOf(rates.profile);
  const averages = averagesAt(rates, readAt);
  const aheadMs = timeToUse(leftBytes, withNovelty(shape ? evened(averages, shape, readAt) : averages));
  if (aheadMs === undefined) return undefined;
  return readAt + (shape ? unwarp(shape, readAt, aheadMs) : aheadMs);
};

/** Whether use has been watched for long enough to say anything of it, as seen at `at` (ms). */
export const hasHistory = (rates: Rates, at: number): boolean =>
  Math.max(at, rates.at) - rates.since >= MIN_HISTORY_MS;

/** Average use over the last hour, day and week, in bytes a millisecond. */
interface Averages {
  readonly hour: number;
  readonly day: number;
  readonly week: number;
}

/** Share of a weight that is left after `elapsedMs`. */
const remaining = (elapsedMs: number, halfLifeMs: number): number => 2 ** (-elapsedMs / halfLifeMs);

/** What a byte used evenly over the last `gapMs` adds to a rate (1/s); for no gap at all the limit. */
const weightPerByte = (gapMs: number, halfLifeMs: number): number => {
  const halvings = (gapMs / halfLifeMs) * Math.LN2;
  const share = gapMs > 0 ? -Math.expm1(-halvings) / halvings : 1;
  return (share * Math.LN2 * SECOND) / halfLifeMs;
};

/**
 * The rates decayed to `at` and divided by the weight that was observed so far: else a young subject, of whose
 * week most is still to come, would seem to use next to nothing. Corrections may leave a rate below 0.
 */
const averagesAt = (rates: Rates, at: number): Averages => {
  const average = (rate: number, halfLifeMs: number): number => {
    const observed = 1 - remaining(at - rates.since, halfLifeMs);
    return (Math.max(0, rate) * remaining(at - rates.at, halfLifeMs)) / observed / SECOND;
  };
  return {
    hour: average(rates.hour, HALF_LIFE_MS.hour),
    day: average(rates.day, HALF_LIFE_MS.day),
    week: average(rates.week, HALF_LIFE_MS.week),
  };
};

/**
 * Averages as they would be had the week no rhythm. In busy hours they are divided by the rhythm. In quiet ones
 * only what goes beyond it is added, as few bytes would otherwise be multiplied to a wild figure.
 */
const evened = (averages: Averages, shape: WeekShape, at: number): Averages => {
  const week = averages.week / meanBefore(shape, at, HALF_LIFE_MS.week);
  const even = (average: number, halfLifeMs: number): number => {
    const usual = meanBefore(shape, at, halfLifeMs);
    return week + (average - usual * week) / Math.max(1, usual);
  };
  return { hour: even(averages.hour, HALF_LIFE_MS.hour), day: even(averages.day, HALF_LIFE_MS.day), week };
};

/**
 * Takes use that began lately for the new habit: the more the last day stands out from the week, beyond what a
 * rhythm within days can do (1.4 at most, all of a day's use at once), the more the present pace stands for all.
 */
const withNovelty = ({ hour, day, week }: Averages): Averages => {
  const usual = 1.5 * week;
  const novelty = day > usual ? Math.min(1, (day - usual) / usual) : 0;
  const pace = Math.max(hour, day);
  return { hour, day: day + novelty * (pace - day), week: week + novelty * (pace - week) };
};

// What was learned of the last hour or day is worth less the further ahead; it fades ahead in half the time it
// fades behind, which damps a daily rhythm's swing (docs/forecast.md has the figures).
const FADE_MS = { hour: HALF_LIFE_MS.hour / 2, day: HALF_LIFE_MS.day / 2 } as const;

/** Use expected `aheadMs` from now, in bytes a millisecond: from the hour's over the day's to the week's. */
const rateAhead = ({ hour, day, week }: Averages, aheadMs: number): number =>
  week + (day - week) * remaining(aheadMs, FADE_MS.day) + (hour - day) * remaining(aheadMs, FADE_MS.hour);

/** Bytes expected to be used within `aheadMs`: the integral of `rateAhead`. */
const bytesWithin = ({ hour, day, week }: Averages, aheadMs: number): number =>
  week * aheadMs +
  (day - week) * fadedTime(aheadMs, FADE_MS.day) +
  (hour - day) * fadedTime(aheadMs, FADE_MS.hour);

const fadedTime = (aheadMs: number, halfLifeMs: number): number =>
  (halfLifeMs / Math.LN2) * -Math.expm1((-aheadMs / halfLifeMs) * Math.LN2);

/** Milliseconds until `bytes` are used, by Newton's method, kept between bounds by bisection. */
const timeToUse = (bytes: number, averages: Averages): number | undefined => {
  if (bytesWithin(averages, MAX_AHEAD_MS) < bytes) return undefined;
  let low = 0;
  let high = MAX_AHEAD_MS;
  let guess = Math.min(high, bytes / rateAhead(averages, DAY));
  while (high - low > 1) {
    const missing = bytes - bytesWithin(averages, guess);
    if (missing > 0) low = guess;
    else high = guess;
    const next = guess + missing / rateAhead(averages, guess);
    if (Math.abs(next - guess) < 1) return Math.max(0, next);
    guess = next > low && next < high ? next : (low + high) / 2;
  }
  return high;
};
