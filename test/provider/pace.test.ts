// Tests the pace of an account: never above the rate, first come, first served, slower after a 429.

import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pacer } from '../../src/provider/pace.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { advanceUntilSettled } from '../support/fake-provider.ts';

const start = (requestsPerSecond: number) => {
  const clock = new FakeClock('2026-03-01T00:00:00Z');
  return { clock, pacer: new Pacer({ requestsPerSecond, clock }) };
};

describe('Pacer', () => {
  it('never gives more turns in a second than the rate, and never out of order', async () => {
    const arrivals = fc.array(fc.nat(300), { minLength: 1, maxLength: 30 });
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 50 }), arrivals, async (rate, gaps) => {
      const { clock, pacer } = start(rate);
      const given: { at: number; index: number }[] = [];
      const all: Promise<unknown>[] = [];
      for (const [index, gap] of gaps.entries()) {
        clock.advance(gap);
        await nextTurn();
        all.push(pacer.take().then(() => given.push({ at: clock.monotonic(), index })));
      }
      await advanceUntilSettled(clock, Promise.all(all), 5);
      expect(given.map(({ index }) => index)).toEqual([...gaps.keys()]);
      for (const { at } of given) {
        const within = given.filter((other) => other.at >= at && other.at < at + 1_000);
        expect(within.length).toBeLessThanOrEqual(rate);
      }
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('uses the whole rate if many requests wait', async () => {
    const { clock, pacer } = start(10);
    const all = Promise.all(Array.from({ length: 21 }, () => pacer.take()));
    expect(pacer.waiting).toBe(21);
    await advanceUntilSettled(clock, all, 10);
    expect(clock.monotonic()).toBe(2_000);
    expect(pacer.waiting).toBe(0);
  });

  it('halves the rate after a 429 and raises it again to the configured rate, no further', async () => {
    const { clock, pacer } = start(8);
    pacer.slowDown(await pacer.take());
    expect(pacer.limitPerSecond).toBe(4);
    clock.advance(150_000);
    expect(pacer.limitPerSecond).toBe(6);
    clock.advance(3_600_000);
    expect(pacer.limitPerSecond).toBe(8);
  });

  it('halves the rate once for requests in flight at the same time, and again for a later one', async () => {
    const { clock, pacer } = start(8);
    const together = [pacer.take(), pacer.take(), pacer.take()];
    for (const turn of await advanceUntilSettled(clock, Promise.all(together))) pacer.slowDown(turn);
    expect(pacer.limitPerSecond).toBe(4);
    pacer.slowDown(await advanceUntilSettled(clock, pacer.take()));
    expect(pacer.limitPerSecond).toBeCloseTo(2, 1);
  });

  it('never stops completely, even after many 429s', async () => {
    const { clock, pacer } = start(8);
    for (let i = 0; i < 20; i += 1) pacer.slowDown(await advanceUntilSettled(clock, pacer.take(), 100));
    expect(pacer.limitPerSecond).toBeGreaterThanOrEqual(8 / 64);
  });

  it('pauses all requests, including those that already wait, and raises the rate only after the pause', async () => {
    const { clock, pacer } = start(10);
    const first = await pacer.take();
    const waiting = pacer.take().then(() => clock.monotonic());
    pacer.slowDown(first, 45_000);
    clock.advance(44_000);
    expect(pacer.limitPerSecond).toBe(0);
    const startedAt = await advanceUntilSettled(clock, waiting);
    expect(startedAt).toBeGreaterThanOrEqual(45_000);
    expect(startedAt).toBeLessThan(45_200);
    expect(pacer.limitPerSecond).toBeCloseTo(5, 1);
  });

  it('pauses for a minute at most', async () => {
    const { clock, pacer } = start(10);
    pacer.slowDown(await pacer.take(), 10 * 86_400_000);
    await advanceUntilSettled(clock, pacer.take(), 60_000);
    expect(clock.monotonic()).toBe(60_000);
  });

  it('drops an aborted request at once and keeps those behind it', async () => {
    const { clock, pacer } = start(1);
    await pacer.take();
    const head = new AbortController();
    const middle = new AbortController();
    const turns = [pacer.take(head.signal), pacer.take(middle.signal), pacer.take()];
    const outcomes = Promise.allSettled(turns);
    middle.abort(new Error('middle gave up'));
    await expect(turns[1]).rejects.toThrow('middle gave up');
    head.abort(new Error('head gave up'));
    await expect(turns[0]).rejects.toThrow('head gave up');
    expect(pacer.waiting).toBe(1);
    const [, , last] = await advanceUntilSettled(clock, outcomes);
    expect(last).toMatchObject({ status: 'fulfilled', value: 2 });
    expect(clock.monotonic()).toBe(1_000);
  });
});
