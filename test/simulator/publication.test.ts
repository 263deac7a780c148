// Tests how published buckets change: they grow until settled, may be late, may be revised once, and then stay.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { parseScenario } from '../../src/simulator/scenario.ts';
import {
  changeWindowMs,
  lastChangeOf,
  type Minute,
  minuteModel,
  publishedShare,
} from '../../src/simulator/traffic/minutes.ts';
import { PublishedTraffic } from '../../src/simulator/traffic/published-traffic.ts';

const START = Date.parse('2026-06-10T00:00:00Z');
const FIRST = START / MINUTE;
const scenario = parseScenario({ traffic: { late: { ratio: 0.1 }, revised: { ratio: 0.1 } } });
const minutes = minuteModel(scenario, START);
const traffic = new PublishedTraffic(scenario, START);
const day = Array.from({ length: 1440 }, (_, i) => minutes('residential', FIRST + i));

const bytesAt = ({ start }: Minute, at: number): number =>
  traffic.sum(traffic.select({ network: 'residential' }), start, start + MINUTE, at).bytes;

describe('a bucket', () => {
  test('never decreases while it grows, and stays constant between settling and revision', () => {
    const instants = fc.tuple(fc.integer({ min: 0, max: 1439 }), fc.nat(10 * DAY), fc.nat(10 * DAY));
    fc.assert(
      fc.property(instants, ([index, one, other]) => {
        const minute = day[index] as Minute;
        const [early, late] = [one, other].sort((a, b) => a - b).map((ms) => minute.start + ms);
        const [before, after] = [bytesAt(minute, Number(early)), bytesAt(minute, Number(late))];
        const isRevisedBetween = Number(early) < minute.revisedAt && Number(late) >= minute.revisedAt;
        if (!isRevisedBetween) expect(after).toBeGreaterThanOrEqual(before);
        if (!isRevisedBetween && Number(early) >= minute.settledAt) expect(after).toBe(before);
      }),
    );
  });

  test('is published in part before it settles', () => {
    const minute = day.find(({ isLate, settled }) => !isLate && settled.bytes > 0) as Minute;
    const half = bytesAt(minute, minute.start + 30_000);
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(minute.settled.bytes);
    expect(bytesAt(minute, minute.start)).toBe(0);
    expect(bytesAt(minute, minute.settledAt)).toBe(minute.settled.bytes);
  });

  test('may be published late, and then whole', () => {
    const late = day.filter(({ isLate, settled }) => isLate && settled.bytes > 0);
    expect(late.length).toBeGreaterThan(50);
    for (const minute of late) {
      expect(bytesAt(minute, minute.settledAt - 1)).toBe(0);
      expect(bytesAt(minute, minute.settledAt)).toBeGreaterThan(0);
      expect(minute.settledAt - minute.start).toBeLessThan(2 * HOUR);
    }
  });

  test('may be revised up and down, mostly within hours, sometimes after days, by at most a fifth', () => {
    const revised = day.filter(({ revisedAt, settled }) => revisedAt < Infinity && settled.bytes > 0);
    const factors = revised.map((minute) => minute.revised.bytes / minute.settled.bytes);
    expect(factors.some((factor) => factor > 1)).toBe(true);
    expect(factors.some((factor) => factor < 1)).toBe(true);
    expect(Math.max(...factors.map((factor) => Math.abs(factor - 1)))).toBeLessThan(0.21);
    const waits = revised.map(({ revisedAt, start }) => revisedAt - start);
    expect(waits.filter((wait) => wait < 12 * HOUR).length).toBeGreaterThan(waits.length / 2);
    expect(Math.max(...waits)).toBeGreaterThan(DAY);
    expect(Math.max(...waits)).toBeLessThan(3 * DAY + HOUR);
  });

  test('never changes after the change window', () => {
    for (const minute of day) {
      const closedAt = minute.start + MINUTE + changeWindowMs(scenario);
      expect(lastChangeOf(minute, closedAt + DAY)).toBeLessThanOrEqual(closedAt);
      expect(publishedShare(minute, closedAt)).toBe(1);
    }
  });
});

test('sums over cached hours equal the sums of the minutes', () => {
  const [from, to, at] = [START + 17 * MINUTE, START + 2 * DAY + 5 * MINUTE, START + 20 * DAY];
  const part = traffic.select({ hostname: 'shop.example' });
  const once = traffic.sum(part, from, to, at);
  let bytes = 0;
  for (let start = from; start < to; start += MINUTE)
    bytes += traffic.sum(part, start, start + MINUTE, at).bytes;
  expect(once.bytes).toBe(bytes);
  expect(traffic.sum(part, from, to, at)).toEqual(once);
});
