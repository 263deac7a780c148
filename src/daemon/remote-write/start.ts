// Computes from when a receiver of remote write gets history.

import { bucketStart, DAY } from '../../lib/time.ts';
import type { RolledUpHistory } from '../../store/publication-store.ts';
import type { Store } from '../../store/store.ts';
import type { Settings } from '../settings.ts';
import type { RemoteWriteOptions } from './options.ts';

/** Returns the time (ms) from which a receiver that is new at `now` gets history. Throws StoreError. */
export const startOf = async (
  start: RemoteWriteOptions['start'],
  settings: Settings,
  { publications }: Pick<Store, 'publications'>,
  now: number,
): Promise<number> => {
  if (start === 'now') return now;
  const at = now - start;
  return wholeDayFrom(at, await publications.rolledUp(at), settings, now);
};

type RetentionSettings = Pick<Settings, 'accounts' | 'store'>;

/**
 * Returns `at`, or the midnight before if its day is rolled up, or will be soon. Such a day is one row: without the row,
 * its corrections would be wrong. If accounts have several time zones, it is the earliest midnight. A day that was rolled
 * up in an earlier zone of its account begins at another time.
 */
export const wholeDayFrom = (
  at: number,
  rolledUp: RolledUpHistory,
  settings: RetentionSettings,
  now: number,
): number =>
  at >= asPolledSince(rolledUp, settings, now)
    ? at
    : Math.min(rolledUp.from, ...settings.accounts.map(({ time_zone: zone }) => bucketStart(zone, at, DAY)));

/**
 * Returns since when the store has all history as polled (ms). The retention alone does not say it: after a change, the
 * store has what it rolled up under the earlier one.
 */
export const asPolledSince = (
  { until }: RolledUpHistory,
  { store: { retention } }: Pick<Settings, 'store'>,
  now: number,
): number => Math.max(until, now - retention.raw);
