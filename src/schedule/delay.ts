// Delays each job after its slots, so that the accounts do not all send requests in the same second.

import { crc32 } from 'node:zlib';
import { MINUTE, SECOND } from '../lib/time.ts';

/** The share of the interval over which the jobs are spread, with few accounts and with many. */
const [SHARE, LARGE_SHARE] = [0.2, 0.8];
const FEW_ACCOUNTS = 20;

/**
 * Returns how long after its slot a job may start at most (ms). With many accounts it is up to a second for each of them,
 * because runs that overlap keep their answers in memory at the same time, and compete for one thread.
 */
const maxDelay = (intervalMs: number, accounts: number): number => {
  const share = accounts > FEW_ACCOUNTS ? LARGE_SHARE : SHARE;
  return Math.min(Math.max(MINUTE, accounts * SECOND), share * intervalMs);
};

/**
 * Returns the delay of the job with this key (ms), in whole seconds. It is the same in each process with as many
 * accounts. If the longest delay changes, each job keeps its place in it, so that one account more delays no job by
 * minutes.
 */
export const delayOf = (key: string, intervalMs: number, accounts: number): number => {
  const place = crc32(key) / 2 ** 32;
  return Math.floor((place * maxDelay(intervalMs, accounts)) / SECOND) * SECOND;
};
