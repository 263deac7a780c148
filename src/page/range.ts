// Keeps the time range that all plots of a page show in the page's address.

import { choose, chosen } from './choice.ts';
import {
  DEFAULT_RANGE,
  RANGE_NAMES,
  RANGES,
  type Range,
  type RangeName,
  startOf,
  validRange,
} from './ranges.ts';

const MINUTE = 60_000;

/** The start of a range that ends now moves in steps, because the ETag of an answer belongs to its path. */
export const chosenRange = (now = Date.now()): Range => {
  const custom = validRange(timeOf(chosen('from')), timeOf(chosen('to')), now);
  return custom ?? startOf(RANGES[namedRange()], now);
};

/** Returns null for a custom range. */
export const chosenRangeName = (): RangeName | null => {
  if (validRange(timeOf(chosen('from')), timeOf(chosen('to')))) return null;
  return namedRange();
};

const namedRange = (): RangeName => RANGE_NAMES.find((name) => name === chosen('range')) ?? DEFAULT_RANGE;

/** Returns the parameters `from` and `to` of a request for the range. */
export const rangeQuery = ({ from, to }: Range): string =>
  `from=${new Date(from).toISOString()}${to === null ? '' : `&to=${new Date(to).toISOString()}`}`;

export const lengthOf = ({ from, to }: Range, now = Date.now()): number => (to ?? now) - from;

/** Shows the range in the address as a new step of the browser's history, so that the back button leads out of it. */
export const chooseRange = (name: RangeName): void =>
  choose({ range: name === DEFAULT_RANGE ? '' : name, from: '', to: '' }, 'push');

/** Times in ms. The address has whole minutes, which contain the range, so that a range within one minute is not empty. */
export const chooseCustomRange = (from: number, to: number): void =>
  choose({ range: '', from: minuteOf(from), to: minuteOf(Math.ceil(to / MINUTE) * MINUTE) }, 'push');

const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16)}Z`;

const timeOf = (text: string | null): number | null => {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
};
