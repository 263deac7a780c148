// Explains why a forecast names a time, or why it does not.

import { z } from 'zod';
import { forecastRange, forecastStart, hasHistory, type Rates } from '../../lib/forecast.ts';
import { orNull, rfc3339 } from './item.ts';

export const forecast = z
  .enum(['expected', 'not_used', 'used_up', 'no_history'])
  .describe(
    'Reason why `exhausted_at` is a time or null. `expected`: a time. `not_used`: null, because the use is almost 0. `used_up`: null, because no bytes are left. `no_history`: null, because the history is shorter than a day',
  );

/** The times of a forecast, of which the last two show how uncertain it is. */
export const forecastTimes = {
  exhausted_at: orNull.time.describe('Time of the forecast. `forecast` has the reason if the time is null'),
  exhausted_earliest_at: orNull.time.describe(
    'Time if the use goes on as in the fastest of the last hour, day and week. Null if `exhausted_at` is null',
  ),
  exhausted_latest_at: orNull.time.describe(
    'Time if the use goes on as in the slowest of them. Null if this time is more than ten years ahead, or if `exhausted_at` is null',
  ),
};

/** Returns the fields of a forecast that was made as of `at`, and is counted from `from` (ms). */
export const forecastJson = (
  rates: Rates | null,
  leftBytes: number,
  exhaustedAt: number | undefined,
  at: number | null,
  from = at,
) => {
  const range = rates && at !== null ? forecastRange(rates, leftBytes, at) : undefined;
  const rounded = (time: number | undefined, delay = 0) =>
    rfc3339(time === undefined ? null : Math.round(time + delay));
  const startOf = (time: number | null) => (rates ? forecastStart(rates, Number(time)) : 0);
  const delay = startOf(from) - startOf(at);
  const reason = (): z.output<typeof forecast> => {
    if (exhaustedAt !== undefined) return 'expected';
    if (leftBytes <= 0) return 'used_up';
    return rates && at !== null && hasHistory(rates, at) ? 'not_used' : 'no_history';
  };
  return {
    exhausted_at: rounded(exhaustedAt),
    exhausted_earliest_at: rounded(range?.earliest, delay),
    exhausted_latest_at: rounded(range?.latest, delay),
    forecast: reason(),
  };
};
