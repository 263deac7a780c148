// Defines the settings of how long history is kept, and finds mistakes in them.

import { z } from 'zod';
import type { TrafficOptions } from '../collectors/traffic/options.ts';
import type { Path } from '../config/config-error.ts';
import { formatDuration } from '../config/duration.ts';
import { duration } from '../config/primitives.ts';
import { DAY } from '../lib/time.ts';

export const retentionSchema = z
  .strictObject({
    raw: duration({ min: DAY }).prefault('8d').describe('Retention of history with the polled buckets'),
    hourly: duration({ min: DAY }).prefault('60d').describe('Retention of history with one value per hour'),
    daily: duration({ min: DAY })
      .prefault('400d')
      .describe(
        'Retention of history with one value per day. The same retention applies to the history of alerts, to data of removed items, and to data of accounts and slices that you removed from the configuration',
      ),
  })
  .describe('Retention of history with three widths of values');

interface RetentionMistake {
  readonly path: Path;
  readonly message: string;
}

/**
 * Buckets that may be read again must still be stored as polled, so `raw` must be at least the longest reread.
 * `traffic` holds the traffic options of all accounts.
 */
export const retentionMistakes = (
  { raw, hourly, daily }: z.output<typeof retentionSchema>,
  traffic: readonly TrafficOptions[],
): RetentionMistake[] => {
  const longestReread = Math.max(0, ...traffic.map(longestRereadOf));
  const mistakeAt = (key: string, message: string) => ({ path: ['store', 'retention', key], message });
  const tooShort = `expected at least ${formatDuration(longestReread)}, because traffic is read again that far back (catch_up + reread, deep_reread.span)`;
  return [
    ...(raw < longestReread ? [mistakeAt('raw', tooShort)] : []),
    ...(hourly < raw ? [mistakeAt('hourly', 'expected at least as long as raw')] : []),
    ...(daily < hourly ? [mistakeAt('daily', 'expected at least as long as hourly')] : []),
  ];
};

const longestRereadOf = ({ catch_up, reread, deep_reread }: TrafficOptions): number =>
  Math.max(catch_up + reread, deep_reread.span);
