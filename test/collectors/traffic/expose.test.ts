// Tests the series of the newest bucket.

import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../src/lib/time.ts';
import { buildTraffic, START } from './support.ts';

describe('the last bucket', () => {
  it('is the newest one that had ended', async () => {
    await using harness = await buildTraffic();
    await harness.advance(5 * MINUTE);
    const at = Date.parse('2026-07-06T12:05:00Z');
    const samples = await harness.samples();
    const [bucket] = harness.simulator.truth.buckets({}, 'minute', at, at + MINUTE);
    expect(samples.value('proxywatch_traffic_last_bucket_timestamp_seconds')).toBe(at / SECOND);
    expect(samples.value('proxywatch_traffic_last_bucket_bytes')).toBe(bucket?.bytes);
    expect(samples.value('proxywatch_traffic_last_bucket_requests')).toBe(bucket?.requests);
    expect(samples.value('proxywatch_traffic_last_bucket_failed_requests')).toBe(bucket?.failed);
  });

  it('had ended when it was requested, not only when it was stored', async () => {
    await using harness = await buildTraffic();
    const [graph] = await harness.app.store.traffic.graphs('main');
    const now = Date.parse(START) + 40 * SECOND;
    const values = { bytes: 1, requests: 1, successful: 1, failed: 0 };
    const rest = { smartpathBytes: null, smartpathRequests: null, smartpathMoneySaved: null };
    const bucket = { ...values, ...rest, concurrencyAverage: null, concurrencyMax: null };
    await harness.app.store.traffic.saveWindow(graph?.id ?? 0, {
      buckets: [{ at: Date.parse('2026-07-06T12:01:00Z'), ...bucket }],
      watermark: now - 15 * SECOND,
      now,
    });
    await harness.restart();
    expect((await harness.samples()).value('proxywatch_traffic_last_bucket_timestamp_seconds')).toBe(
      Date.parse('2026-07-06T12:00:00Z') / SECOND,
    );
  });

  it('stays while polls fail', async () => {
    await using harness = await buildTraffic();
    const before = (await harness.samples()).value('proxywatch_traffic_last_bucket_timestamp_seconds');
    harness.simulator.faults.add({ kind: 'status', status: 503 });
    await harness.advance(5 * MINUTE);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_traffic_last_bucket_timestamp_seconds')).toBe(before);
    expect(before).toBe(Date.parse('2026-07-06T12:00:00Z') / SECOND);
  });

  it('has concurrency unless that is off, and then does not request it', async () => {
    const graphs = [{ name: 'isp', product_type: 'isp' }];
    await using harness = await buildTraffic({ traffic: { graphs } });
    const NAMES = ['traffic', 'graph'].flatMap((group) =>
      ['average', 'max'].map((name) => `proxywatch_${group}_concurrency_${name}`),
    );
    const withIt = await harness.samples();
    expect(NAMES.filter((name) => (withIt.value(name) ?? 0) > 0)).toEqual(NAMES);
    await harness.restart({ traffic: { graphs, catch_up: '4h', concurrency: false } });
    await harness.advance(MINUTE);
    const without = await harness.samples();
    expect(NAMES.filter((name) => without.value(name) !== undefined)).toEqual([]);
    expect(harness.simulator.requests.recent.at(-1)?.query).not.toHaveProperty('show_log_concurrency');
  });
});
