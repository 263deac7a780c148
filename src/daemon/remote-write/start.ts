// Computes from when a receiver of remote write gets history.

import { bucketStart, DAY } from '../../lib/time.ts';
import type { Settings } from '../settings.ts';
import type { RemoteWriteOptions } from './options.ts';

/** Returns the time (ms) from which a receiver that is new at `now` gets history. */
export const startOf = (start: RemoteWriteOptions['start'], settings: Settings, now: number): number =>
  start === 'now' ? now : wholeDayFrom(now - start, settings, now);

/**
 * Returns `at`, or the midnight before if the store may have rolled up its day. Such a day is one row: without the row, its
 * corrections would be wrong. If accounts have several time zones, it is the earliest midnight.
 */
export const wholeDayFrom = (
  at: number,
  { accounts, store: { retention } }: Pick<Settings, 'accounts' | 'store'>,
  now: number,
): number =>
  at >= now - retention.raw
    ? at
    : Math.min(at, ...accounts.map(({ time_zone: zone }) => bucketStart(zone, at, DAY)));
