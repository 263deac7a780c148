// Tests the API's history of traffic: sums that agree over all steps, and a limited number of points.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finestStep, MAX_POINTS, pointsOf, stepMsOf } from '../../../src/collectors/traffic/points.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { HistoryBucket } from '../../../src/store/traffic-store.ts';
import { bucketAt } from '../../store/support.ts';
import { ApiHarness, type Json } from './api-harness.ts';

let api: ApiHarness;

beforeAll(async () => {
  api = await ApiHarness.build({ time_zone: 'Asia/Kolkata' }, { time_zone: 'Asia/Kolkata' });
  await api.run(4);
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

const TRAFFIC = 'accounts/main/traffic';
const RANGE = 'from=2026-07-04T18:30:00Z&to=2026-07-05T11:30:00Z';

const pointsIn = (body: Json): Json[] => body.data as Json[];
const sumOf = (points: readonly Json[], field: string): number =>
  points.reduce((sum, point) => sum + Number(point[field]), 0);

describe('a graph', () => {
  it('has the same sums in every step, and returns them as totals', async () => {
    const answers = await Promise.all(
      ['raw', 'hour', 'day'].map((step) => api.answer(`${TRAFFIC}?${RANGE}&step=${step}`)),
    );
    const bytes = answers.map((answer) => sumOf(pointsIn(answer), 'bytes'));
    expect(bytes[0]).toBeGreaterThan(0);
    expect(bytes[1]).toBe(bytes[0]);
    for (const [index, answer] of answers.entries()) expect((answer.totals as Json).bytes).toBe(bytes[index]);
    // The last day in the zone continues after the range.
    expect(bytes[2]).toBeGreaterThan(bytes[0] ?? 0);
  });

  it('has points on boundaries of the provider’s zone, to which the range is extended', async () => {
    const hours = await api.answer(
      `${TRAFFIC}?from=2026-07-05T00:00:00Z&to=2026-07-05T02:00:00%2B00:00&step=hour`,
    );
    expect(hours).toMatchObject({
      from: '2026-07-04T23:30:00.000Z',
      to: '2026-07-05T02:30:00.000Z',
      step: 'hour',
    });
    expect(pointsIn(hours).map(({ at, width_seconds }) => [at, width_seconds])).toEqual([
      ['2026-07-04T23:30:00.000Z', 3_600],
      ['2026-07-05T00:30:00.000Z', 3_600],
      ['2026-07-05T01:30:00.000Z', 3_600],
    ]);
    const [day] = pointsIn(await api.answer(`${TRAFFIC}?${RANGE}&step=day`));
    expect(day).toMatchObject({ at: '2026-07-04T18:30:00.000Z', width_seconds: 86_400 });
  });

  it('covers the last 24 hours and the whole account by default', async () => {
    const { graph, from, to, step, data } = await api.answer(TRAFFIC);
    expect([graph, from, to, step]).toEqual([
      '',
      '2026-07-04T16:01:00.000Z',
      '2026-07-05T16:02:00.000Z',
      'raw',
    ]);
    expect((data as Json[]).length).toBeGreaterThan(1_000);
    expect((data as Json[]).length).toBeLessThanOrEqual(MAX_POINTS);
    const residential = await api.answer(`${TRAFFIC}?graph=residential&${RANGE}`);
    expect(residential).toMatchObject({ graph: 'residential', product_type: 'residential' });
    const whole = await api.answer(`${TRAFFIC}?${RANGE}`);
    expect(sumOf(pointsIn(residential), 'bytes')).toBeLessThan(sumOf(pointsIn(whole), 'bytes'));
  });

  it.each([
    ['graph=nobody', 404, 'graph: "nobody" is not known'],
    ['from=2026-07-05', 400, 'from: expected one time such as 2026-03-01T12:00:00Z'],
    ['from=2026-07-05T12:00:00Z&to=2026-07-05T12:00:00Z', 400, 'from: expected a time before to'],
    ['step=week', 400, 'step: expected one of raw, hour, day'],
    [
      'step=raw&from=2026-07-01T00:00:00Z',
      400,
      'step: expected a longer step or a shorter range, because this makes more than 1500 points',
    ],
  ])('is rejected for %s', async (query, status, error) => {
    expect(await api.request(`${TRAFFIC}?${query}`)).toMatchObject({ status, body: { error } });
  });

  it('is listed with its newest bucket', async () => {
    const samples = await api.harness.samples();
    const [whole, residential] = await api.items('graphs');
    expect([whole?.graph, residential?.graph]).toEqual(['', 'residential']);
    const bytes = samples.value('proxywatch_traffic_last_bucket_bytes');
    expect(whole).toMatchObject({ last_bucket: { bytes } });
  });
});

describe('points', () => {
  it('are as fine as the limit allows', () => {
    expect(finestStep(DAY, MINUTE)).toBe('raw');
    expect(finestStep(7 * DAY, MINUTE)).toBe('hour');
    expect(finestStep(60 * DAY, HOUR)).toBe('raw');
    expect(finestStep(400 * DAY, MINUTE)).toBe('day');
    expect(stepMsOf('hour', MINUTE)).toBe(HOUR);
  });

  it('keep buckets wider than the step, weight averages by time, and distinguish null from 0', async () => {
    const at = Date.parse('2026-07-01T00:00:00Z');
    const wide = (start: number, widthMs: number, values: object): HistoryBucket => ({
      ...bucketAt(start, values),
      widthMs,
    });
    const history = [
      wide(at - DAY, DAY, { bytes: 7 }),
      wide(at, HOUR, { bytes: 1, concurrencyAverage: 4, concurrencyMax: 5 }),
      wide(at + HOUR, MINUTE, { concurrencyAverage: 1, concurrencyMax: 9 }),
      wide(at + HOUR + MINUTE, MINUTE, { bytes: 2, concurrencyAverage: 3 }),
    ];
    expect(await pointsOf(history, 'UTC', HOUR)).toEqual([
      history[0],
      history[1],
      wide(at + HOUR, HOUR, { bytes: 2, concurrencyAverage: 2, concurrencyMax: 9 }),
    ]);
    const days = await pointsOf(history, 'UTC', DAY);
    expect(days.map(({ bytes, requests }) => [bytes, requests])).toEqual([
      [7, null],
      [3, null],
    ]);
    expect(days[1]?.concurrencyAverage).toBeCloseTo((4 * 60 + 1 + 3) / 62);
  });
});
