// Is loaded into a daemon's process before the daemon, and shortens its waits of exactly a minute, so that a test need
// not wait for the end of a quiet minute. Schedules are not changed, because they follow the time of day.

import { systemClock } from '../../src/lib/clock.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';

const { sleep } = systemClock;

Object.assign(systemClock, {
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms === MINUTE ? 5 * SECOND : ms, signal),
});
