// Sets how long results of proxy tests are kept.

import { DAY } from '../../../lib/time.ts';

/** How long a failure is kept with its proxy, target, tester and error. */
export const FAILURES_RETENTION_MS = 7 * DAY;
/** The most failures kept for an account. An outage of the provider causes 20,000 failures an hour. */
export const MAX_FAILURES = 10_000;
/** How long uptime sums by hour are kept. A query over 30 days begins within an hour that must still be stored. */
export const HOUR_SUMS_RETENTION_MS = 31 * DAY;
/** How long uptime sums by day are kept. */
export const DAY_SUMS_RETENTION_MS = 90 * DAY;
