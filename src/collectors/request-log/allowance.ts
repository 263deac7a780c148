// Defines the options and the limits of requests to the log, and divides the time that is not counted yet into windows.

import { z } from 'zod';
import { cronExpression, duration } from '../../config/primitives.ts';
import type { Clock } from '../../lib/clock.ts';
import { DAY, HOUR, instantsOf, MINUTE, zoneOffset } from '../../lib/time.ts';
import { Pacer } from '../../provider/pace.ts';
import type { LogWindow } from '../../store/request-log-store.ts';
import { clientAddressOptions } from './addresses.ts';

export const requestLogOptions = z.strictObject({
  schedule: cronExpression().default('*/5 * * * *').describe('Schedule for counting the newest requests'),
  errors: z.literal(true).default(true).describe('Failed requests are counted'),
  settle: duration({ min: MINUTE, max: 6 * HOUR })
    .prefault('10m')
    .describe('Age from which minutes are counted, because the provider can write its log late'),
  samples: z
    .int()
    .min(0)
    .max(10_000)
    .default(500)
    .describe('Most failed requests that a run reads, to estimate which proxy users and host names fail'),
  client_addresses: clientAddressOptions
    .optional()
    .describe('Looks for addresses that use the logins of proxy users; off unless given'),
  max_requests_per_day: z
    .int()
    .min(1_000)
    .max(500_000)
    .default(20_000)
    .describe(
      'Most requests to the log in 24 hours. With fewer, longer times are counted at once, and later',
    ),
});

export type RequestLogOptions = z.infer<typeof requestLogOptions>;

/** The requests of this time can be saved up while none are made. */
const SAVED_MS = 30 * MINUTE;
/** A start forgets what the last window used. Its own first window needs so many requests, because it knows no codes. */
const REQUESTS_OF_FIRST = 90;

/** The time of the requests that a day may have: what is saved up, and what windows use in advance, is kept free. */
const SPREAD_MS = DAY + 4 * SAVED_MS;

/** Returns how many requests a day can be made on average. */
export const steadyRequests = (perDay: number): number => Math.floor((perDay * DAY) / SPREAD_MS);

/** Counting is not urgent, so other requests of the account have most of its rate. */
const REQUESTS_PER_SECOND = 1;

/** Takes turns at the rate of the day. A window may use more at once: the next one then waits for that time. */
export class LogPace {
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  /** No 24 hours have more than the limit, also with what was saved up, if a window uses at most a 26th of it. */
  readonly #msPerRequest: number;
  /** The time whose requests are used (ms, monotonic). */
  #usedTo: number;

  /** `idleMs` is the time since the last window before the start. */
  constructor({ max_requests_per_day }: RequestLogOptions, clock: Clock, idleMs: number) {
    this.#clock = clock;
    this.#pacer = new Pacer({ requestsPerSecond: REQUESTS_PER_SECOND, clock });
    this.#msPerRequest = SPREAD_MS / max_requests_per_day;
    this.#usedTo = clock.monotonic() - Math.min(SAVED_MS, idleMs - REQUESTS_OF_FIRST * this.#msPerRequest);
  }

  get mayBeginWindow(): boolean {
    return this.#usedTo <= this.#clock.monotonic();
  }

  /** Resolves when a request may be sent, and counts it. */
  async take(signal: AbortSignal): Promise<void> {
    await this.#pacer.take(signal);
    this.#usedTo = Math.max(this.#usedTo, this.#clock.monotonic() - SAVED_MS) + this.#msPerRequest;
  }
}

/** The provider keeps rows for 7 days. Older ones may be removed while they are counted. */
const KEPT_MS = 7 * DAY - HOUR;

/** Returns the last minute that has settled and whose local time is no other instant. */
export const settledTo = (now: number, settleMs: number, zone: string): number => {
  let at = Math.floor((now - settleMs) / MINUTE) * MINUTE;
  while (!isUnique(at, zone)) at -= MINUTE;
  return at;
};

/** Returns the time that is lost, because the provider does not have its rows any more; undefined if there is none. */
export const lostWindow = (countedTo: number, now: number, zone: string): LogWindow | undefined => {
  let from = Math.ceil((now - KEPT_MS) / MINUTE) * MINUTE;
  while (!isUnique(from, zone)) from += MINUTE;
  return from > countedTo ? { from: countedTo, to: from } : undefined;
};

/**
 * Returns the next window: to the end of the hour or of `longest`, or to `end`. Filters are in local time, so a window contains
 * the whole time that clocks show twice, and is then longer. Undefined if there is none.
 */
export const nextWindow = (
  from: number,
  end: number,
  zone: string,
  longest = HOUR,
): LogWindow | undefined => {
  let to = Math.min(end, (Math.floor(from / longest) + 1) * longest);
  while (to < end && !isUnique(to, zone)) to += MINUTE;
  return to > from ? { from, to } : undefined;
};

/** Whether the local time is that of no other instant. */
const isUnique = (at: number, zone: string): boolean =>
  instantsOf(zone, at + zoneOffset(zone, at)).length === 1;
