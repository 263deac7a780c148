// How published buckets change: they grow until settled, come late, are revised once, and then rest.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { parseScenario } from '../../src/simulator/scenario.ts';
import { changedAt, growth, type Minute, minuteModel, openFor } from '../../src/simulator/traffic/minutes.ts';
import { TrafficBook } from '../../src/simulator/traffic/traffic.ts';

const START = Date.parse('2026-06-10T00:00:00Z');
const FIRST = START / MINUTE;
const scenario = parseScenario({ traffic: { late: { ratio: 0.1 }, revised: { ratio: 0.1 } } });
const minutes = minuteModel(scenario, START);
const book = new TrafficBook(scenario, START);
const day = Array.from({ length: 1440 }, (_, i) => minutes('residential', FIRST + i));

const bytesAt = ({ start }: Minute, at: number): number =>
  book.sum(book.of({ network: 'residential' }), start, start + MINUTE, at).bytes;

describe('a bucket', () => {
  test('never falls while it grows, and rests between settling and revision', () => {
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

  test('is part of itself while under way', () => {
    const minute = day.find(({ isLate, settled }) => !isLate && settled.bytes > 0) as Minute;
    const half = bytesAt(minute, minute.start + 30_000);
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(minute.settled.bytes);
    expect(bytesAt(minute, minute.start)).toBe(0);
    expect(bytesAt(minute, minute.settledAt)).toBe(minute.settled.bytes);
  });

  test('may come late, then whole', () => {
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

  test('rests for ever once it is closed', () => {
    for (const minute of day) {
      const closedAt = minute.start + MINUTE + openFor(scenario);
      expect(changedAt(minute, closedAt + DAY)).toBeLessThanOrEqual(closedAt);
      expect(growth(minute, closedAt)).toBe(1);
    }
  });
});

test('sums over remembered hours are the sums of the minutes', () => {
  const [from, to, at] = [START + 17 * MINUTE, START + 2 * DAY + 5 * MINUTE, START + 20 * DAY];
  const part = book.of({ hostname: 'shop.example' });
  const once = book.sum(part, from, to, at);
  let bytes = 0;
  for (let start = from; start < to; start += MINUTE)
    bytes += book.sum(part, start, start + MINUTE, at).bytes;
  expect(once.bytes).toBe(bytes);
  expect(book.sum(part, from, to, at)).toEqual(once);
});
