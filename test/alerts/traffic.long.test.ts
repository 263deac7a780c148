// Tests when the alerts about traffic have findings.

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { findingLabels, findingsOf } from '../support/findings.ts';
import { live, StubTraffic } from './stub-traffic.ts';

const START = '2026-07-06T12:01:30Z';
const started = Date.parse(START);

describe('TrafficErrorRatioHigh', () => {
  it('is found for the account and for the graph whose newest requests fail', async () => {
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
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([]);
    await live(harness, 30 * MINUTE);
    expect(await findingsOf(harness, 'TrafficErrorRatioHigh')).toEqual([
      { labels: {}, value: 0.5 },
      { labels: { graph: 'b' }, value: 0.5 },
    ]);
    stub.isFailing = true;
    await live(harness, 3 * HOUR);
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toHaveLength(2);
  });

  it('is found for data that arrives late, but not after traffic has ended', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = (at) => (at < started - HOUR ? { requests: 20, failed: 10 } : undefined);
    await using harness = await stub.watch();
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([{}]);
    await live(harness, 70 * MINUTE);
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([]);
  });

  it('is not found for old data while a catch-up is in progress', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch({ window: '1h' });
    await harness.stop();
    harness.clock.advance(6 * HOUR);
    stub.minute = () => ({ requests: 20, failed: 20 });
    stub.garbledFrom = started + 3 * HOUR;
    await harness.start();
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([]);
    stub.garbledFrom = Number.POSITIVE_INFINITY;
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([{}]);
  });

  it('is not found for few requests', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = () => ({ requests: 6, failed: 6 });
    await using harness = await stub.watch();
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([]);
  });
});

describe('TrafficStopped', () => {
  const office = (more: Record<string, unknown> = {}) => ({
    graphs: [{ name: 'office', hostname: 'a.example', expect: { min_requests: 1, within: '30m', ...more } }],
  });

  it.each([true, false])(
    'is found once a graph had no traffic for `within` (empty buckets sent: %s)',
    async (sendsEmpty) => {
      await using stub = await StubTraffic.start();
      stub.sendsEmptyBuckets = sendsEmpty;
      const stopsAt = started + 40 * MINUTE;
      stub.minute = (at, hostname) =>
        hostname === 'a.example' && at >= stopsAt ? undefined : { requests: 1 };
      await using harness = await stub.watch(office());
      await live(harness, HOUR);
      expect(await findingLabels(harness, 'TrafficStopped')).toEqual([]);
      await live(harness, 15 * MINUTE);
      expect(await findingsOf(harness, 'TrafficStopped')).toEqual([
        { labels: { graph: 'office' }, value: 0 },
      ]);
      stub.isFailing = true;
      await live(harness, HOUR);
      expect(await findingLabels(harness, 'TrafficStopped')).toHaveLength(1);
    },
  );

  it('is not found while all data is late by less than the reread, and is after that', async () => {
    await using stub = await StubTraffic.start();
    const stopsAt = started + 40 * MINUTE;
    stub.minute = (at) => (at >= stopsAt ? undefined : { requests: 1 });
    await using harness = await stub.watch({ ...office(), expect: { min_requests: 30 } });
    for (const end = stopsAt + 2 * HOUR; harness.clock.now() < end; ) {
      await live(harness, 5 * MINUTE);
      expect(await findingLabels(harness, 'TrafficStopped')).toEqual([]);
    }
    await live(harness, 10 * MINUTE);
    expect(await findingLabels(harness, 'TrafficStopped')).toEqual([{}]);
    await live(harness, 30 * MINUTE);
    expect(await findingLabels(harness, 'TrafficStopped')).toEqual([{}, { graph: 'office' }]);
  });

  it('is found only within its hours, and once `within` has passed in them', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = (_, hostname) => (hostname ? undefined : { requests: 1 });
    await using harness = await stub.watch(office({ hours: '14-16' }));
    const found: string[] = [];
    while (harness.clock.now() < started + 5 * HOUR) {
      await live(harness, 5 * MINUTE);
      const isFound = (await findingLabels(harness, 'TrafficStopped')).length > 0;
      if (isFound) found.push(new Date(harness.clock.now()).toISOString().slice(11, 16));
    }
    expect([found.at(0), found.at(-1), found.length]).toEqual(['14:31', '15:56', 18]);
  });

  it('is not found for a graph that was just added', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = (_, hostname) => (hostname ? undefined : { requests: 1 });
    await using harness = await stub.watch();
    await live(harness, HOUR);
    await harness.restart({ traffic: { schedule: '*/5 * * * *', ...office() } });
    await live(harness, 25 * MINUTE);
    expect(await findingLabels(harness, 'TrafficStopped')).toEqual([]);
    await live(harness, 20 * MINUTE);
    expect(await findingLabels(harness, 'TrafficStopped')).toEqual([{ graph: 'office' }]);
  });
});

describe('TrafficDataLate', () => {
  it.each([true, false])('is found when steady traffic ends (empty buckets sent: %s)', async (sendsEmpty) => {
    await using stub = await StubTraffic.start();
    stub.sendsEmptyBuckets = sendsEmpty;
    const publishedUntil = started + 10 * MINUTE;
    stub.minute = (at) => (at < publishedUntil ? { requests: 1 } : undefined);
    await using harness = await stub.watch();
    await live(harness, 2 * HOUR + 10 * MINUTE);
    expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([]);
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([{}]);
    stub.minute = () => ({ requests: 1 });
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([]);
  });

  it('is not found at night for an account without traffic at night, nor for one that never had traffic', async () => {
    await using stub = await StubTraffic.start();
    const isNight = (at: number): boolean => at % DAY < 8 * HOUR || at % DAY > 18 * HOUR;
    stub.minute = (at) => (isNight(at) ? undefined : { requests: 1 });
    await using harness = await stub.watch({ schedule: '*/30 * * * *', catch_up: '2d' });
    for (let hour = 0; hour < 24; hour += 1) {
      await harness.advance(HOUR);
      expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([]);
    }
    stub.minute = () => undefined;
    await using quiet = await stub.watch();
    await live(quiet, 3 * HOUR);
    expect(await findingLabels(quiet, 'TrafficDataLate')).toEqual([]);
  });

  it('is not found because time passes while polls fail, nor after they succeed again', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch();
    stub.isFailing = true;
    await live(harness, 4 * HOUR);
    expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([]);
    stub.isFailing = false;
    await live(harness, 5 * MINUTE);
    expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([]);
  });

  it('is found late for irregular traffic, because its end first looks like another pause', async () => {
    await using stub = await StubTraffic.start();
    // Traffic for an hour, and then none for ten hours. Missing data may be late, or it may be a pause.
    const isBusy = (at: number): boolean => (at - started + DAY) % (11 * HOUR) < HOUR;
    stub.minute = (at) => (isBusy(at) ? { requests: 1 } : undefined);
    await using harness = await stub.watch({ schedule: '*/30 * * * *', catch_up: '3d' });
    stub.minute = () => undefined;
    for (let hour = 0; hour < 10; hour += 1) {
      await harness.advance(HOUR);
      expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([]);
    }
    for (let hour = 0; hour < 12; hour += 1) await harness.advance(HOUR);
    // The alert fires after twice the longest pause.
    expect(await findingLabels(harness, 'TrafficDataLate')).toEqual([{}]);
  });
});
