// Tests gaps, which are times that were not read although later traffic was: they do not delay new data and are retried.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { instantOf, live, StubTraffic } from '../../alerts/stub-traffic.ts';
import { findingLabels, findingsOf } from '../../support/findings.ts';
import type { Harness } from '../../support/harness.ts';
import { recordingLog } from '../single-collector.ts';
import { lastRun } from '../stub-account.ts';

const STARTED = Date.parse('2026-07-06T12:01:30Z');
const OPTIONS = { catch_up: '5d', window: '6h' };

/** Makes the answers for windows that overlap this time invalid. */
const invalidBetween = (from: number, to: number) => (query: Readonly<Record<string, string>>) =>
  instantOf(query.period_start) < to && instantOf(query.period_end) > from ? { body: 'garbled' } : undefined;

/** Stops the daemon for two days and starts it again. Six hours of that time get invalid answers. */
const afterDowntime = async (stub: StubTraffic, harness: Harness): Promise<void> => {
  await harness.stop();
  harness.clock.advance(2 * DAY);
  stub.fault = invalidBetween(STARTED + 12 * HOUR, STARTED + 13 * HOUR);
  await harness.start();
};

const gapSeconds = async (harness: Harness): Promise<number | undefined> =>
  (await harness.samples()).value('proxywatch_traffic_gap_seconds');

const requestsTotal = async (harness: Harness): Promise<number | undefined> =>
  (await harness.samples()).value('proxywatch_traffic_requests_total');

/** Counts 10 requests a minute up to the end of the minute that is still growing. */
const requestsSince = (at: number, harness: Harness): number =>
  10 * Math.floor((harness.clock.now() - at) / MINUTE + 0.5);

describe('one invalid old window after downtime', () => {
  it('is left out, and newer data is shown', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s' });
    await afterDowntime(stub, harness);
    const samples = await harness.samples();
    const newest = samples.value('proxywatch_traffic_last_bucket_timestamp_seconds') ?? 0;
    expect(harness.clock.now() / SECOND - newest).toBeLessThan(121);
    expect(samples.value('proxywatch_traffic_recent_requests')).toBe(150);
    expect(samples.value('proxywatch_traffic_lateness_seconds')).toBe(0);
    expect(samples.value('proxywatch_collector_success')).toBe(1);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'bad_response' });
    expect(await gapSeconds(harness)).toBe((6 * HOUR) / SECOND);
    const missing = requestsSince(STARTED, harness) - ((await requestsTotal(harness)) ?? 0);
    expect(missing).toBe(6 * 60 * 10);
  });

  it('is retried with waits, and counts when it becomes valid', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s' });
    await afterDowntime(stub, harness);
    const before = stub.queries.length;
    await live(harness, 4 * HOUR);
    const isInvalid = (query: Readonly<Record<string, string>>) =>
      invalidBetween(STARTED + 12 * HOUR, STARTED + 13 * HOUR)(query) !== undefined;
    expect(stub.queries.slice(before).filter(isInvalid)).toHaveLength(2);
    stub.fault = () => undefined;
    await live(harness, 4 * HOUR);
    expect(await gapSeconds(harness)).toBe(0);
    expect(await requestsTotal(harness)).toBe(requestsSince(STARTED, harness));
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
  });

  it('is known after a restart, and counts once even if it is requested several times', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s' });
    await afterDowntime(stub, harness);
    await harness.restart();
    expect(await gapSeconds(harness)).toBe((6 * HOUR) / SECOND);
    stub.fault = () => undefined;
    // The deep reread reads it before its wait is over, and it does not count twice.
    await live(harness, 20 * MINUTE);
    harness.clock.advance(17 * HOUR);
    await live(harness, 5 * MINUTE);
    expect(await gapSeconds(harness)).toBe(0);
    expect(await requestsTotal(harness)).toBe(requestsSince(STARTED, harness));
  });

  it('is dropped and logged when it is too old to request', async () => {
    await using stub = await StubTraffic.start();
    const log = recordingLog();
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s', log });
    await afterDowntime(stub, harness);
    await harness.stop();
    harness.clock.advance(4 * DAY);
    await harness.start();
    expect(await gapSeconds(harness)).toBe(0);
    const lost = log.lines.filter(({ message }) => message.includes('too old'));
    expect(lost.reduce((sum, { seconds }) => sum + Number(seconds), 0)).toBe((6 * HOUR) / SECOND);
    expect(await requestsTotal(harness)).toBe(requestsSince(STARTED, harness) - 3_600);
  });

  it('is shown for its own slice only', async () => {
    await using stub = await StubTraffic.start();
    const graphs = [{ name: 'a', hostname: 'a.example' }];
    await using harness = await stub.watch({ ...OPTIONS, graphs });
    await harness.stop();
    harness.clock.advance(2 * DAY);
    const isInvalid = invalidBetween(STARTED + 12 * HOUR, STARTED + 13 * HOUR);
    stub.fault = (query) => (query.hostname ? isInvalid(query) : undefined);
    await harness.start();
    expect((await harness.samples()).value('proxywatch_graph_gap_seconds', { graph: 'a' })).toBe(6 * 3_600);
    expect(await gapSeconds(harness)).toBe(0);
  });
});

describe('recent sums', () => {
  it('and observed requests are left out if they overlap a gap', async () => {
    await using stub = await StubTraffic.start();
    const expectation = { min_requests: 1_000, within: '2h' };
    await using harness = await stub.watch({ ...OPTIONS, window: '1h', reread: '1h', expect: expectation });
    await live(harness, 3 * HOUR);
    expect(await findingsOf(harness, 'TrafficStopped')).toEqual([]);
    await harness.stop();
    harness.clock.advance(3 * HOUR);
    const now = harness.clock.now();
    stub.fault = invalidBetween(now - 90 * MINUTE, now - 80 * MINUTE);
    stub.minute = (at) => (at > now - 2 * HOUR ? { requests: 1 } : { requests: 10 });
    await harness.start();
    expect(await gapSeconds(harness)).toBeGreaterThan(0);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_traffic_observed_requests')).toBeUndefined();
    expect(samples.value('proxywatch_traffic_recent_requests')).toBe(15);
    expect(await findingLabels(harness, 'TrafficStopped')).toEqual([]);
  });
});

describe('an invalid window while polls continue', () => {
  it('does not delay new data for longer than the reread', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch({ ...OPTIONS, window: '24h' }, { firstStepHold: '0s' });
    await live(harness, HOUR);
    const invalidUntil = harness.clock.now();
    stub.fault = invalidBetween(invalidUntil - 5 * MINUTE, invalidUntil);
    await live(harness, 10 * MINUTE);
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'bad_response' });
    await live(harness, 2 * HOUR);
    expect((await harness.samples()).value('proxywatch_collector_success')).toBe(1);
    expect((await harness.samples()).value('proxywatch_traffic_recent_requests')).toBe(150);
    expect(await gapSeconds(harness)).toBeGreaterThan(0);
    stub.fault = () => undefined;
    await live(harness, 7 * HOUR);
    expect(await gapSeconds(harness)).toBe(0);
    expect(await requestsTotal(harness)).toBe(requestsSince(STARTED, harness));
  });
});

describe('an older store file that was put back', () => {
  it('begins at 0, and counts no earlier traffic, no matter how many windows that takes', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s' });
    const file = join(harness.folder, 'older.db');
    await harness.stop();
    copyFileSync(harness.storePath, file);
    await harness.start();
    await live(harness, 12 * HOUR);
    await harness.stop();
    copyFileSync(file, harness.storePath);
    // Most of the traffic in the older file has been revised since.
    stub.minute = (at) => (at < STARTED ? { requests: 90 } : { requests: 10 });
    await harness.start();
    expect(await gapSeconds(harness)).toBe(0);
    expect(await requestsTotal(harness)).toBe(0);
    const began = harness.clock.now();
    await live(harness, HOUR);
    expect(await requestsTotal(harness)).toBe(requestsSince(began, harness));
  });
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('live' as const), minutes: fc.integer({ min: 5, max: 90 }) }),
  fc.record({ kind: fc.constant('down' as const), minutes: fc.integer({ min: 1, max: 1_500 }) }),
  fc.record({ kind: fc.constant('restart' as const), minutes: fc.constant(0) }),
  // Answers for the older half of the last `minutes` are invalid.
  fc.record({ kind: fc.constant('invalid' as const), minutes: fc.integer({ min: 4, max: 900 }) }),
  fc.record({ kind: fc.constant('valid' as const), minutes: fc.constant(0) }),
);

it('all traffic counts exactly once in the end, no matter which failures occurred', {
  timeout: 120_000,
}, async () => {
  const fullAt = (at: number): number => 10 + ((at / MINUTE) % 7);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      await using stub = await StubTraffic.start();
      const first = STARTED - (STARTED % MINUTE);
      let present = () => STARTED;
      // The newest half hour has not grown to its full traffic yet.
      stub.minute = (at) => ({ requests: at > present() - 30 * MINUTE ? 3 : fullAt(at) });
      await using harness = await stub.watch({ ...OPTIONS, window: '3h' }, { firstStepHold: '0s' });
      present = () => harness.clock.now();
      for (const { kind, minutes } of steps) {
        const now = harness.clock.now();
        if (kind === 'live') await live(harness, minutes * MINUTE);
        if (kind === 'restart') await harness.restart();
        if (kind === 'invalid')
          stub.fault = invalidBetween(now - minutes * MINUTE, now - (minutes / 2) * MINUTE);
        if (kind === 'valid') stub.fault = () => undefined;
        if (kind !== 'down') continue;
        await harness.stop();
        harness.clock.advance(minutes * MINUTE);
        await harness.start();
      }
      stub.fault = () => undefined;
      await live(harness, 14 * HOUR);
      expect(await gapSeconds(harness)).toBe(0);
      const now = harness.clock.now();
      let truth = 0;
      for (let at = first - 29 * MINUTE; at <= now; at += MINUTE) {
        const value = at > now - 30 * MINUTE ? 3 : fullAt(at);
        // Buckets up to the baseline count only their growth since then.
        truth += at <= first ? value - 3 : value;
      }
      expect(await requestsTotal(harness)).toBe(truth);
    }),
    { numRuns: 5, endOnFailure: true },
  );
});
