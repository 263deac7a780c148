// Tests the totals of traffic, and its table: points of a day are days of the account's time zone, and others of the reader's.

import { afterEach, describe, expect, it } from 'vitest';
import type { Traffic } from '../../src/page/answers.ts';
import { dateIn } from '../../src/page/format.ts';
import { trafficTable, trafficTotals } from '../../src/page/views/traffic.ts';

const { TZ } = process.env;

const traffic = (step: Traffic['step'], starts: readonly string[]): Traffic =>
  ({ step, data: starts.map((at) => ({ at, bytes: 1_000, requests: 1, failed_requests: 0 })) }) as never;

const datesOf = (answer: Traffic, timeZone: string): string[] =>
  [
    ...trafficTable(answer, 'day', timeZone)
      .toString()
      .matchAll(/<time [^>]*>([^<]*)<\/time>/g),
  ].map(([, date = '']) => date);

afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

describe.each(['America/New_York', 'UTC', 'Asia/Tokyo'])('for a reader in %s', (reader) => {
  it.each([
    ['UTC', '2026-11-23T00:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-22T15:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-23T08:00:00.000Z'],
  ])('a day of an account in %s has the date of the account', (zone, start) => {
    process.env.TZ = reader;
    expect(datesOf(traffic('day', [start]), zone)).toEqual(['2026-11-23']);
    expect(dateIn(Date.parse(start) - 1, zone)).toBe('2026-11-22');
  });
});

it('hours are summed by the days of the reader', () => {
  process.env.TZ = 'Asia/Tokyo';
  const hours = ['2026-11-22T14:00:00.000Z', '2026-11-22T15:00:00.000Z', '2026-11-22T16:00:00.000Z'];
  expect(datesOf(traffic('hour', hours), 'UTC')).toEqual(['2026-11-23', '2026-11-22']);
});

it.each([
  [1_000, 29, '29 2.9% of all requests'],
  [0, 0, '0'],
  [null, 29, '29'],
  [1_000, null, '–'],
])('of %s requests, %s failed: %s', (requests, failed, expected) => {
  const totals = { bytes: null, requests, failed_requests: failed };
  const text = trafficTotals({ totals, complete_until: null } as never, 0)
    .toString()
    .replaceAll(/<[^>]*>/g, '');
  expect(/Failed requests(.*)/.exec(text)?.[1]).toBe(expected);
});
