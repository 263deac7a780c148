// Tests the system's clock.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { DAY } from '../../src/lib/time.ts';

/** Three intervals of a yearly schedule. Node ends timers of more than 24.8 days after a millisecond. */
const YEARS = 3 * 365 * DAY;

it('does not end a deadline of years at once', async () => {
  using deadline = systemClock.deadline(YEARS);
  const short = systemClock.deadline(1);
  await once(short.signal, 'abort');
  await delay(1);
  expect(deadline.signal.aborted).toBe(false);
});

it('does not end a sleep of years at once', async () => {
  const stop = new AbortController();
  const sleep = systemClock.sleep(YEARS, stop.signal);
  await Promise.race([sleep, delay(5)]);
  stop.abort(new Error('still asleep'));
  await expect(sleep).rejects.toThrow('still asleep');
});
