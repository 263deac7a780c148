// Defines the time ranges that the reader can choose, and which ranges are valid.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** By the value of `range`: the length of the range, and the steps in which its start moves, both in ms. */
export const RANGES = {
  '1h': { length: HOUR, step: MINUTE },
  '6h': { length: 6 * HOUR, step: 5 * MINUTE },
  '24h': { length: DAY, step: 10 * MINUTE },
  '7d': { length: 7 * DAY, step: HOUR },
  '30d': { length: 30 * DAY, step: HOUR },
  '90d': { length: 90 * DAY, step: DAY },
  '400d': { length: 400 * DAY, step: DAY },
} as const;
export type RangeName = keyof typeof RANGES;

export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[];
export const DEFAULT_RANGE: RangeName = '24h';

/** Times in ms; `to` is null for a range that ends now. */
export interface Range {
  readonly from: number;
  readonly to: number | null;
}

export const startOf = ({ length, step }: (typeof RANGES)[RangeName], now: number): Range => ({
  from: Math.floor((now - length) / step) * step,
  to: null,
});

/** Returns the whole hours of a range; null if the store may not have the hours of all its days. */
export const hoursOf = (name: RangeName): number | null =>
  RANGES[name].length <= RANGES['7d'].length ? RANGES[name].length / HOUR : null;

/** Returns the range between two times (ms), at most 400 days back; null if it has no past time or nothing is stored of it. */
export const validRange = (from: number | null, to: number | null, now = Date.now()): Range | null => {
  const { from: oldest } = startOf(RANGES['400d'], now);
  if (from === null || from >= now || (to !== null && to <= Math.max(from, oldest))) return null;
  return { from: Math.max(from, oldest), to };
};
