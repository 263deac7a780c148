// Time, injected: everything that reads or waits for time takes a Clock, so tests own it.

import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. May jump either way. */
  now(): number;
  /** Milliseconds from an arbitrary origin that never jump: for durations. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
