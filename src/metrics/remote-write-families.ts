// Defines the metric families of remote write.

import { counter, gauge } from '../lib/family.ts';

export const REMOTE_WRITE_SAMPLES = counter(
  'proxywatch_remote_write_samples_total',
  'Number of samples since the daemon started, by what became of them: accepted or refused by the receiver, or expired, because the store rolled up or deleted them before the receiver got them. Samples that were sent once more after the receiver had accepted them are repeated.',
  ['receiver', 'result'],
);
export const REMOTE_WRITE_BYTES = counter(
  'proxywatch_remote_write_bytes_total',
  'Number of bytes of all requests to the receiver since the daemon started, after compression, also of repeated requests.',
  ['receiver'],
);
export const REMOTE_WRITE_FAILURES = counter(
  'proxywatch_remote_write_failures_total',
  'Number of requests since the daemon started that the receiver neither accepted nor refused. proxywatch repeats them.',
  ['receiver'],
);
export const REMOTE_WRITE_LAG = gauge(
  'proxywatch_remote_write_lag_seconds',
  'Time for which the receiver has taken nothing although settled history waits, in seconds; 0 if it has everything. The series is missing before the first look.',
  ['receiver'],
);

export const REMOTE_WRITE_FAMILIES = [
  REMOTE_WRITE_SAMPLES,
  REMOTE_WRITE_BYTES,
  REMOTE_WRITE_FAILURES,
  REMOTE_WRITE_LAG,
] as const;
