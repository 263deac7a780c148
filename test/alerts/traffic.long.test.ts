// When alerts about traffic find something in a daemon, and when not.

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { findingsOf, foundBy } from '../support/findings.ts';
import { live, StubTraffic } from './stub-traffic.ts';

const START = '2026-07-06T12:01:30Z';
const started = Date.parse(START);

describe('TrafficErrorRatioHigh', () => {
  it('is found of the account and of the graph whose newest requests fail', async () => {
    await using stub = await StubTraffic.start();
    const failsFrom = started + 10 * MINUTE;
    stub.minute = (at, hostname) => ({
      requests: 20,
      failed: hostname !== 'a.example' && at >= failsFrom ? 10 : 0,
    });
    await using harness = await stub.watch({
      graphs: [
        { name: 'a', hostname: 'a.example' },
        { name: 'b', hostname: 'b.example' },
      ],
    });
    await live(harness, 10 * MINUTE);
    expect(await foundBy(harness, 'TrafficErrorRatioHigh')).toEqual([]);
    await live(harness, 30 * MINUTE);
    expect(await findingsOf(harness, 'TrafficErrorRatioHigh')).toEqual([
      { labels: {}, value: 0.5 },
      { labels: { graph: 'b' }, value: 0.5 },
    ]);
    stub.isFailing = true;
    await live(harness, 3 * HOUR);
    expect(await foundBy(harness, 'TrafficErrorRatioHigh')).toHaveLength(2);
  });

  it('is found of data that comes late, and no more when traffic has ended', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = (at) => (at < started - HOUR ? { requests: 20, failed: 10 } : undefined);
    await using harness = await stub.watch();
    expect(await foundBy(harness, 'TrafficErrorRatioHigh')).toEqual([{}]);
    await live(harness, 70 * MINUTE);
    expect(await foundBy(harness, 'TrafficErrorRatioHigh')).toEqual([]);
  });

  it('is not found of what was long ago, while a gap is being caught up with', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch({ window: '1h' });
    await harness.stop();
    harness.clock.advance(6 * HOUR);
    stub.minute = () => ({ requests: 20, failed: 20 });
    stub.isGarbledFrom = started + 3 * HOUR;
    await harness.start();
    expect(await foundBy(harness, 'TrafficErrorRatioHigh')).toEqual([]);
    stub.isGarbledFrom = Number.POSITIVE_INFINITY;
    await live(harness, 5 * MINUTE);
    expect(await foundBy(harness, 'TrafficErrorRatioHigh')).toEqual([{}]);
  });

  it('is not found of few requests', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = () => ({ requests: 6, failed: 6 });
    await using harness = await stub.watch();
    expect(await foundBy(harness, 'TrafficErrorRatioHigh')).toEqual([]);
  });
});

describe('TrafficStopped', () => {
  const office = (more: Record<string, unknown> = {}) => ({
    graphs: [{ name: 'office', hostname: 'a.example', expect: { min_requests: 1, within: '30m', ...more } }],
  });

  it.each([true, false])(
    'is found once a graph was silent for as long (empty buckets sent: %s)',
    async (sendsEmpty) => {
      await using stub = await StubTraffic.start();
      stub.sendsEmpty = sendsEmpty;
      const stopsAt = started + 40 * MINUTE;
      stub.minute = (at, hostname) =>
        hostname === 'a.example' && at >= stopsAt ? undefined : { requests: 1 };
      await using harness = await stub.watch(office());
      await live(harness, HOUR);
      expect(await foundBy(harness, 'TrafficStopped')).toEqual([]);
      await live(harness, 15 * MINUTE);
      expect(await findingsOf(harness, 'TrafficStopped')).toEqual([
        { labels: { graph: 'office' }, value: 0 },
      ]);
      stub.isFailing = true;
      await live(harness, HOUR);
      expect(await foundBy(harness, 'TrafficStopped')).toHaveLength(1);
    },
  );

  it('is not found while all data is late by less than the reread, and is after that', async () => {
    await using stub = await StubTraffic.start();
    const stopsAt = started + 40 * MINUTE;
    stub.minute = (at) => (at >= stopsAt ? undefined : { requests: 1 });
    await using harness = await stub.watch({ ...office(), expect: { min_requests: 30 } });
    for (const end = stopsAt + 2 * HOUR; harness.clock.now() < end; ) {
      await live(harness, 5 * MINUTE);
      expect(await foundBy(harness, 'TrafficStopped')).toEqual([]);
    }
    await live(harness, 10 * MINUTE);
    expect(await foundBy(harness, 'TrafficStopped')).toEqual([{}]);
    await live(harness, 30 * MINUTE);
    expect(await foundBy(harness, 'TrafficStopped')).toEqual([{}, { graph: 'office' }]);
  });

  it('is found in its hours alone, once its time has passed in them', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = (_, hostname) => (hostname ? undefined : { requests: 1 });
    await using harness = await stub.watch(office({ hours: '14-16' }));
    const found: string[] = [];
    while (harness.clock.now() < started + 5 * HOUR) {
      await live(harness, 5 * MINUTE);
      const isFound = (await foundBy(harness, 'TrafficStopped')).length > 0;
      if (isFound) found.push(new Date(harness.clock.now()).toISOString().slice(11, 16));
    }
    expect([found.at(0), found.at(-1), found.length]).toEqual(['14:31', '15:56', 18]);
  });

  it('is not found of a graph that was just added', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = (_, hostname) => (hostname ? undefined : { requests: 1 });
    await using harness = await stub.watch();
    await live(harness, HOUR);
    await harness.restart({ traffic: { schedule: '*/5 * * * *', ...office() } });
    await live(harness, 25 * MINUTE);
    expect(await foundBy(harness, 'TrafficStopped')).toEqual([]);
    await live(harness, 20 * MINUTE);
    expect(await foundBy(harness, 'TrafficStopped')).toEqual([{ graph: 'office' }]);
  });
});

describe('TrafficDataLate', () => {
  it.each([true, false])('is found when steady traffic ends (empty buckets sent: %s)', async (sendsEmpty) => {
    await using stub = await StubTraffic.start();
    stub.sendsEmpty = sendsEmpty;
    const publishedUntil = started + 10 * MINUTE;
    stub.minute = (at) => (at < publishedUntil ? { requests: 1 } : undefined);
    await using harness = await stub.watch();
    await live(harness, 2 * HOUR + 10 * MINUTE);
    expect(await foundBy(harness, 'TrafficDataLate')).toEqual([]);
    await live(harness, 5 * MINUTE);
    expect(await foundBy(harness, 'TrafficDataLate')).toEqual([{}]);
    stub.minute = () => ({ requests: 1 });
    await live(harness, 5 * MINUTE);
    expect(await foundBy(harness, 'TrafficDataLate')).toEqual([]);
  });

  it('is not found in the nights of an account, nor of one that never had traffic', async () => {
    await using stub = await StubTraffic.start();
    const isNight = (at: number): boolean => at % DAY < 8 * HOUR || at % DAY > 18 * HOUR;
    stub.minute = (at) => (isNight(at) ? undefined : { requests: 1 });
    await using harness = await stub.watch({ schedule: '*/30 * * * *', catch_up: '2d' });
    for (let hour = 0; hour < 24; hour += 1) {
      await harness.advance(HOUR);
      expect(await foundBy(harness, 'TrafficDataLate')).toEqual([]);
    }
    stub.minute = () => undefined;
    await using quiet = await stub.watch();
    await live(quiet, 3 * HOUR);
    expect(await foundBy(quiet, 'TrafficDataLate')).toEqual([]);
  });

  it('is not found by the passing of time while polls fail, nor after they succeed again', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch();
    stub.isFailing = true;
    await live(harness, 4 * HOUR);
    expect(await foundBy(harness, 'TrafficDataLate')).toEqual([]);
    stub.isFailing = false;
    await live(harness, 5 * MINUTE);
    expect(await foundBy(harness, 'TrafficDataLate')).toEqual([]);
  });

  it('cannot be found of traffic that is irregular: an end looks like one more pause', async () => {
    await using stub = await StubTraffic.start();
    // Traffic for an hour, and then none for ten: what follows may be late, or be a pause.
    const isBusy = (at: number): boolean => (at - started + DAY) % (11 * HOUR) < HOUR;
    stub.minute = (at) => (isBusy(at) ? { requests: 1 } : undefined);
    await using harness = await stub.watch({ schedule: '*/30 * * * *', catch_up: '3d' });
    stub.minute = () => undefined;
    for (let hour = 0; hour < 10; hour += 1) {
      await harness.advance(HOUR);
      expect(await foundBy(harness, 'TrafficDataLate')).toEqual([]);
    }
    for (let hour = 0; hour < 12; hour += 1) await harness.advance(HOUR);
    // Twice as long as any pause before is long enough.
    expect(await foundBy(harness, 'TrafficDataLate')).toEqual([{}]);
  });
});
