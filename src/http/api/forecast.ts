// Explains why a forecast names a time, or why it does not.

import { z } from 'zod';
import { hasHistory, type Rates } from '../../lib/forecast.ts';

export const forecast = z
  .enum(['expected', 'not_used', 'used_up', 'no_history'])
  .describe(
    'Reason why `exhausted_at` is a time or null. `expected`: a time. `not_used`: null, because the use is almost 0. `used_up`: null, because no bytes are left. `no_history`: null, because the history is shorter than a day',
  );

/** Explains a forecast that was made at `at` (ms). */
export const forecastOf = (
  rates: Rates | null,
  leftBytes: number,
  exhaustedAt: number | undefined,
  at: number | null,
): z.output<typeof forecast> => {
  if (exhaustedAt !== undefined) return 'expected';
  if (leftBytes <= 0) return 'used_up';
  return rates && at !== null && hasHistory(rates, at) ? 'not_used' : 'no_history';
};
