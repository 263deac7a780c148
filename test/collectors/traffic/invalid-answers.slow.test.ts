// Tests answers that contradict themselves or lack a value: only dependent values are missing, and the log reports it once.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { StubTraffic } from '../../alerts/stub-traffic.ts';
import { findingLabels } from '../../support/findings.ts';
import { recordingLog } from '../single-collector.ts';
import { lastRun } from '../stub-account.ts';

const OPTIONS = { schedule: '* * * * *', catch_up: '2h' };
const INCONSISTENT = 'proxywatch_inconsistent_answers_total';

const sumOf = (rows: readonly Record<string, unknown>[], field: string): number =>
  rows.reduce((sum, row) => sum + Number(row[field]), 0);

describe('totals that are off by one request', () => {
  it.each([
    [1, 'buckets_below_totals'],
    [-1, 'buckets_above_totals'],
  ])('(%i) stop nothing, are logged once, and are counted', async (off, what) => {
    await using stub = await StubTraffic.start();
    const log = recordingLog();
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s', log });
    const counts = async () =>
      (await harness.samples()).by('what', INCONSISTENT, { api_endpoint: 'analytics/graph' });
    expect(await counts()).toEqual({ buckets_below_totals: 0, buckets_above_totals: 0 });
    stub.dataOf = (intervals) => ({
      intervals,
      total_requests: sumOf(intervals, 'requests') + off,
      total_bytes: sumOf(intervals, 'bytes'),
    });
    for (let minute = 0; minute < 10; minute += 1) await harness.advance(MINUTE);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    expect((await harness.samples()).value('proxywatch_traffic_requests_total')).toBe(100);
    expect((await counts())[what]).toBe(10);
    const logged = log.lines.filter((line) => line.what === what);
    expect(logged.map(({ graph, message }) => [graph, message])).toEqual([
      ['account', 'the totals of an answer are not the sums of its buckets; proxywatch counts the buckets'],
    ]);
  });
});

describe('buckets that lack a value', () => {
  const lacking =
    (...fields: readonly string[]) =>
    (intervals: Record<string, unknown>[]) => ({
      intervals: intervals.map((row) => ({
        ...row,
        ...Object.fromEntries(fields.map((field) => [field, null])),
      })),
    });

  it('keep their bytes and requests if the numbers of successful and failed requests are missing', async () => {
    await using stub = await StubTraffic.start();
    stub.minute = () => ({ requests: 20, failed: 10 });
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s' });
    await harness.advance(5 * MINUTE);
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([{}]);
    stub.dataOf = lacking('successful', 'error');
    for (let minute = 0; minute < 20; minute += 1) await harness.advance(MINUTE);
    const samples = await harness.samples();
    const value = (name: string) => samples.value(`proxywatch_traffic_${name}`);
    expect(value('bytes_total')).toBe(20 * 25);
    expect(value('requests_total')).toBe(20 * 25);
    // The known values of the first five minutes stay.
    expect(value('failed_requests_total')).toBe(10 * 5);
    expect(value('last_bucket_bytes')).toBe(20);
    expect(value('last_bucket_failed_requests')).toBeUndefined();
    expect(value('recent_requests')).toBe(300);
    expect(value('recent_failed_requests')).toBeUndefined();
    expect(await findingLabels(harness, 'TrafficErrorRatioHigh')).toEqual([]);
    expect(samples.value('proxywatch_collector_skipped_items')).toBeGreaterThan(0);

    stub.dataOf = (intervals) => ({ intervals });
    await harness.advance(MINUTE);
    expect((await harness.samples()).value('proxywatch_traffic_failed_requests_total')).toBe(10 * 26);
  });

  it('keep their requests if their bytes are missing, and count the bytes when they come', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch(OPTIONS, { firstStepHold: '0s' });
    stub.dataOf = lacking('bytes');
    for (let minute = 0; minute < 5; minute += 1) await harness.advance(MINUTE);
    const totals = async () => {
      const samples = await harness.samples();
      return ['bytes', 'requests'].map((name) => samples.value(`proxywatch_traffic_${name}_total`));
    };
    expect(await totals()).toEqual([0, 50]);
    stub.dataOf = (intervals) => ({ intervals });
    await harness.advance(MINUTE);
    expect(await totals()).toEqual([60, 60]);
  });
});
