// Computes to which time the use of a period belongs. The history of users and its roll-up both need it.

import { bucketStart, DAY, HOUR, SECOND } from '../lib/time.ts';
import type { UsagePeriod } from './user-store.ts';

/**
 * The longest period that counts as hourly. The period of an hour begins with the last listing before the hour, so it
 * may be longer than an hour. A longer period is a day, or a gap between two listings.
 */
const LONGEST_HOURLY_PERIOD_MS = 2 * HOUR;

/**
 * Returns the time of a period's sample (ms), in whole seconds, because readers drop fractions. A period belongs to the
 * hour or day in which it ends, as in the store. A later rollup therefore keeps it in its day, so that it is neither lost
 * nor counted twice between two ranges of days.
 */
export const usageTime = ({ since, until }: Pick<UsagePeriod, 'since' | 'until'>, zone: string): number => {
  const unit = until - since <= LONGEST_HOURLY_PERIOD_MS ? HOUR : DAY;
  return Math.floor(Math.max(since, bucketStart(zone, until - 1, unit)) / SECOND) * SECOND;
};
