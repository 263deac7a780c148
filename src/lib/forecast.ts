// Forecasts when bytes run out, from three decaying rates of use and a weekly rhythm instead of the whole history.

import { DAY, HOUR, SECOND } from './time.ts';
import { meanBefore, observeWeek, shapeOf, unwarp, type WeekShape, type WeekUse } from './week-profile.ts';

/** How fast a subject uses bytes: a few numbers, stored in the subject's row. */
export interface Rates extends WeekUse {
  /** Since when the subject has been observed (ms). */
  readonly since: number;
  /** Bytes per second, averaged with weights that halve every hour, day and week into the past. */
  readonly hour: number;
  readonly day: number;
  readonly week: number;
}

/** Less history does not contain a whole daily rhythm. */
export const MIN_HISTORY_MS = DAY;
/** A subject that used nothing for longer has stopped. The limit allows for a job that runs once a day at no fixed hour. */
export const MAX_IDLE_MS = 36 * HOUR;
/** A date further away only means "not soon", and may be out of the range of dates. */
export const MAX_AHEAD_MS = 3_650 * DAY;

const HALF_LIFE_MS = { hour: HOUR, day: DAY, week: 7 * DAY } as const;

/** Returns the rates of a subject that is observed from `since` (ms) on. */
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
 * Returns the rates after `growthBytes` (negative for a correction) appeared between the polls at `from` and `at` (ms).
 * The bytes are spread evenly over that gap, however long. Without growth it returns the same object, because rates decay
 * when they are read.
 */
export const observe = (rates: Rates, growthBytes: number, from: number, at: number): Rates => {
  if (growthBytes === 0) return rates;
  // If the wall clock went back, the bytes count as if they all came at the newest known time.
  const end = Math.max(at, rates.at);
  const start = Math.max(from, rates.at);
  const gapMs = end - start;
  const idleMs = end - rates.at;
  const updatedRate = (rate: number, halfLifeMs: number): number =>
    rate * decayFactor(idleMs, halfLifeMs) + growthBytes * weightPerByte(gapMs, halfLifeMs);
  return {
    since: rates.since,
    at: end,
    hour: updatedRate(rates.hour, HALF_LIFE_MS.hour),
    day: updatedRate(rates.day, HALF_LIFE_MS.day),
    week: updatedRate(rates.week, HALF_LIFE_MS.week),
    ...observeWeek(rates, growthBytes, start, end),
  };
};

/**
 * Returns when `leftBytes` will be used up (ms), as seen at `at` (ms; the newest complete listing). Undefined if nothing
 * is left, the history is too short, nothing is being used, or the time is further away than `MAX_AHEAD_MS`.
 */
export const forecastExhaustion = (rates: Rates, leftBytes: number, at: number): number | undefined => {
  const pace = paceOf(rates, leftBytes, at);
  return pace && expectedEnd(pace, leftBytes);
};

const expectedEnd = (pace: Pace, leftBytes: number): number | undefined =>
  endOf(pace, timeToUse(leftBytes, withNovelty(pace.averages)));

/** Times in ms. */
export interface ForecastRange {
  readonly earliest: number;
  /** Undefined if the time is further away than `MAX_AHEAD_MS`, or never comes. */
  readonly latest: number | undefined;
}

/**
 * Returns when `leftBytes` will be used up if the use goes on as in the fastest and as in the slowest of the last hour,
 * day and week. The range contains the forecast. Undefined if there is no forecast.
 */
export const forecastRange = (rates: Rates, leftBytes: number, at: number): ForecastRange | undefined => {
  const pace = paceOf(rates, leftBytes, at);
  const expected = pace && expectedEnd(pace, leftBytes);
  if (!pace || expected === undefined) return undefined;
  const ends = Object.values(pace.averages).map((average) => {
    const aheadMs = leftBytes / average;
    return endOf(pace, aheadMs <= MAX_AHEAD_MS ? aheadMs : undefined);
  });
  const known = ends.filter((end) => end !== undefined);
  return {
    earliest: Math.min(expected, ...known),
    latest: known.length < ends.length ? undefined : Math.max(expected, ...known),
  };
};

/** Returns the last day's use divided by the last week's, without the weekly rhythm. Undefined without history or use. */
export const recentRise = (rates: Rates, at: number): number | undefined => {
  const { day = 0, week = 0 } = paceOf(rates, 1, at)?.averages ?? {};
  return week > 0 ? day / week : undefined;
};

interface Pace {
  readonly readAt: number;
  readonly shape: WeekShape | undefined;
  /** Without the weekly rhythm, if it is known. */
  readonly averages: Averages;
}

/** Returns the time from which a forecast made at `at` looks ahead (ms), because the use may have been observed later. */
export const forecastStart = (rates: Rates, at: number): number => Math.max(at, rates.at);

/** Returns undefined if nothing is left, the history is too short, or nothing is being used. */
const paceOf = (rates: Rates, leftBytes: number, at: number): Pace | undefined => {
  const readAt = forecastStart(rates, at);
  if (leftBytes <= 0 || !hasHistory(rates, at) || readAt - rates.at > MAX_IDLE_MS) return undefined;
  const shape = shapeOf(rates.profile);
  const averages = averagesAt(rates, readAt);
  return { readAt, shape, averages: shape ? withoutRhythm(averages, shape, readAt) : averages };
};

/** Returns the time at which `aheadMs` of even use have passed in the rhythm of the week (ms). */
const endOf = ({ readAt, shape }: Pace, aheadMs: number | undefined): number | undefined =>
  aheadMs === undefined ? undefined : readAt + (shape ? unwarp(shape, readAt, aheadMs) : aheadMs);

/** Whether the history is long enough for a forecast, as seen at `at` (ms). */
export const hasHistory = (rates: Rates, at: number): boolean =>
  forecastStart(rates, at) - rates.since >= MIN_HISTORY_MS;

/** Average use over the last hour, day and week, in bytes per millisecond. */
interface Averages {
  readonly hour: number;
  readonly day: number;
  readonly week: number;
}

/** Returns the share of a weight that is left after `elapsedMs`. */
const decayFactor = (elapsedMs: number, halfLifeMs: number): number => 2 ** (-elapsedMs / halfLifeMs);

/** Returns what one byte, spread evenly over the last `gapMs`, adds to a rate (1/s). Without a gap it is the limit value. */
const weightPerByte = (gapMs: number, halfLifeMs: number): number => {
  const halvings = (gapMs / halfLifeMs) * Math.LN2;
  const share = gapMs > 0 ? -Math.expm1(-halvings) / halvings : 1;
  return (share * Math.LN2 * SECOND) / halfLifeMs;
};

/**
 * Returns the rates decayed to `at` and divided by the weight observed so far. Without the division a new subject, of
 * whose week little was observed, would seem to use almost nothing. Corrections may leave a rate below 0; it counts as 0.
 */
const averagesAt = (rates: Rates, at: number): Averages => {
  const average = (rate: number, halfLifeMs: number): number => {
    const observed = 1 - decayFactor(at - rates.since, halfLifeMs);
    return (Math.max(0, rate) * decayFactor(at - rates.at, halfLifeMs)) / observed / SECOND;
  };
  return {
    hour: average(rates.hour, HALF_LIFE_MS.hour),
    day: average(rates.day, HALF_LIFE_MS.day),
    week: average(rates.week, HALF_LIFE_MS.week),
  };
};

/**
 * Returns the averages as they would be without a weekly rhythm. In busy hours they are divided by the rhythm. In quiet
 * hours only the excess over it is added; a division would turn a few bytes into a huge number.
 */
const withoutRhythm = (averages: Averages, shape: WeekShape, at: number): Averages => {
  const week = averages.week / meanBefore(shape, at, HALF_LIFE_MS.week);
  const adjust = (average: number, halfLifeMs: number): number => {
    const usual = meanBefore(shape, at, halfLifeMs);
    return week + (average - usual * week) / Math.max(1, usual);
  };
  return {
    hour: adjust(averages.hour, HALF_LIFE_MS.hour),
    day: adjust(averages.day, HALF_LIFE_MS.day),
    week,
  };
};

/**
 * Treats use that started recently as the new habit. A daily rhythm alone can make the last day stand out from the week
 * by a factor of 1.4 at most, when all of a day's use comes at once. The more the last day exceeds that, the more weight
 * the current pace gets.
 */
const withNovelty = ({ hour, day, week }: Averages): Averages => {
  const usual = 1.5 * week;
  const novelty = day > usual ? Math.min(1, (day - usual) / usual) : 0;
  const pace = Math.max(hour, day);
  return { hour, day: day + novelty * (pace - day), week: week + novelty * (pace - week) };
};

// The rates of the last hour and day matter less the further ahead the forecast looks. They fade twice as fast into the
// future as into the past, which dampens the swing of a daily rhythm (docs/design/forecast.md has the numbers).
const FADE_MS = { hour: HALF_LIFE_MS.hour / 2, day: HALF_LIFE_MS.day / 2 } as const;

/** Returns the use expected `aheadMs` from now (bytes per ms). It moves from the hour's rate over the day's to the week's. */
const rateAhead = ({ hour, day, week }: Averages, aheadMs: number): number =>
  week + (day - week) * decayFactor(aheadMs, FADE_MS.day) + (hour - day) * decayFactor(aheadMs, FADE_MS.hour);

/** Returns the bytes expected to be used within `aheadMs`: the integral of `rateAhead`. */
const bytesWithin = ({ hour, day, week }: Averages, aheadMs: number): number =>
  week * aheadMs +
  (day - week) * fadedTime(aheadMs, FADE_MS.day) +
  (hour - day) * fadedTime(aheadMs, FADE_MS.hour);

const fadedTime = (aheadMs: number, halfLifeMs: number): number =>
  (halfLifeMs / Math.LN2) * -Math.expm1((-aheadMs / halfLifeMs) * Math.LN2);

/** Returns the milliseconds until `bytes` are used, by Newton's method, with bisection as a fallback. */
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
