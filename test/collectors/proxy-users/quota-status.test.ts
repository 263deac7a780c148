// Tests forecasts of quotas: they are made as of the full hour, and counted from the listing.

import { expect, it } from 'vitest';
import { forecastTime, quotaStatusOf } from '../../../src/collectors/proxy-users/quota-status.ts';
import { newRates, observe } from '../../../src/lib/forecast.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { StoredQuota } from '../../../src/store/user-store.ts';

const RULE = { zeroLimit: 'ignore', lowShare: 0.1, soonMs: 3 * DAY } as const;
const SINCE = Date.UTC(2026, 6, 1);
/** Bytes in a minute. */
const PACE = 1_000;
const LIMIT = 1e9;

/** Returns the quota of a user that uses bytes evenly from the start to `until`, and of which `left` bytes are left. */
const quotaUntil = (until: number, left: number): StoredQuota => {
  let rates = newRates(SINCE);
  for (let at = SINCE; at < until; at += 5 * MINUTE) rates = observe(rates, 5 * PACE, at, at + 5 * MINUTE);
  const usage = { net: 0, served: 0, heldUntil: 0 };
  return { limitBytes: LIMIT, usedBytes: LIMIT - left, rates, usage };
};

it.each([0, 5, 30, 55])('%i minutes after the hour, an active user lasts from the listing on', (minutes) => {
  const listedAt = SINCE + 10 * DAY + minutes * MINUTE;
  for (const left of [10, 60, 24 * 60, 72 * 60].map((lasting) => lasting * PACE)) {
    const { lastsMs = 0, exhaustedAt = 0 } = quotaStatusOf(quotaUntil(listedAt, left), RULE, listedAt);
    expect(lastsMs / MINUTE).toBeCloseTo(left / PACE, 0);
    expect(exhaustedAt).toBe(listedAt + lastsMs);
  }
});

it('a user that uses nothing lasts equally long at all listings of an hour, and not for less time later', () => {
  const idleSince = SINCE + 10 * DAY + 20 * MINUTE;
  const quota = quotaUntil(idleSince, 100 * 60 * PACE);
  const lasting = [25, 55, 60, 90, 115, 120].map((minutes) => {
    const listedAt = SINCE + 10 * DAY + minutes * MINUTE;
    const { lastsMs = 0, exhaustedAt } = quotaStatusOf(quota, RULE, listedAt);
    expect(exhaustedAt).toBe(listedAt + lastsMs);
    return lastsMs / HOUR;
  });
  expect(lasting[1]).toBe(lasting[0]);
  expect(lasting[3]).toBe(lasting[2]);
  expect(lasting[4]).toBe(lasting[2]);
  expect(lasting.toSorted((a, b) => a - b)).toEqual(lasting);
});

it('the state “soon” follows from how long the bytes last', () => {
  const listedAt = SINCE + 10 * DAY + 59 * MINUTE;
  const stateWith = (left: number) =>
    quotaStatusOf(quotaUntil(listedAt, left), { ...RULE, lowShare: 0 }, listedAt).state;
  expect([stateWith(71.9 * 60 * PACE), stateWith(72.1 * 60 * PACE)]).toEqual(['soon', 'ok']);
  expect(forecastTime(listedAt)).toBe(SINCE + 10 * DAY);
});
