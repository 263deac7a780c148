// Tests what the provider report measures: times of buckets, waits after 429, sizes, totals, and samples.

import { describe, expect, test } from 'vitest';
import { AccountReport } from '../../../src/provider/report/account-report.ts';
import type { EndpointReportJson } from '../../../src/provider/report/endpoint-report.ts';
import type { ObservedAnswer } from '../../../src/provider/report/observed-answer.ts';
import { Spread } from '../../../src/provider/report/spread.ts';
import { formatLocal } from '../../../src/provider/time.ts';
import { answerWith, endpointReportOf } from './reported-answers.ts';

const NOW = Date.parse('2026-07-05T12:00:20Z');
const MINUTE = 60_000;

describe('a spread', () => {
  test('has the extremes of all measurements, and median and p95 of the newest 100', () => {
    const spread = new Spread();
    expect(spread.toJson()).toBeNull();
    for (let value = 1; value <= 1_000; value += 1) spread.add(value);
    expect(spread.toJson()).toEqual({ count: 1_000, min: 1, median: 950, p95: 995, max: 1_000 });
  });
});

describe('minutes', () => {
  interface GraphOptions {
    readonly lateMinutes?: number;
    /** The provider's zone. */
    readonly zone?: string;
    readonly bytes?: number;
  }
  const OLDEST = 10;

  /** Answers with the last minutes except the newest, which are late. */
  const graphAt = (
    at: number,
    { lateMinutes = 1, zone = 'UTC', bytes = 1 }: GraphOptions = {},
  ): ObservedAnswer => {
    const current = Math.floor(at / MINUTE) * MINUTE;
    const intervals = Array.from({ length: OLDEST - lateMinutes + 1 }, (_, index) => ({
      interval: formatLocal(current - (OLDEST - index) * MINUTE, zone),
      ...{ bytes, requests: 1 },
    }));
    const query = {
      ...{ interval: 'minute', show_log_concurrency: true },
      period_start: formatLocal(current - OLDEST * MINUTE, zone),
      period_end: formatLocal(current + MINUTE, zone),
    };
    return answerWith('analytics/graph', { data: { intervals } }, { query, at });
  };
  const minutesOf = (...answers: ObservedAnswer[]): NonNullable<EndpointReportJson['minutes']> => {
    const { minutes } = endpointReportOf(...answers);
    if (!minutes) throw new Error('no minutes');
    return minutes;
  };

  test.each([
    ['UTC', 1, 80],
    ['UTC', 7, 7 * 60 + 20],
    ['Europe/Paris', 1, 80 - 2 * 3_600],
    ['America/New_York', 1, 80 + 4 * 3_600],
  ])('show how late the newest bucket is, and the zone: %s, %i minutes', (zone, lateMinutes, age) => {
    const { newest_age_seconds } = minutesOf(graphAt(NOW, { zone, lateMinutes }));
    expect(newest_age_seconds).toMatchObject({ count: 1, median: age });
  });

  test('of history do not count as late', () => {
    const history = graphAt(NOW - 3_600_000);
    const { newest_age_seconds, answers } = minutesOf({ ...history, at: NOW }, graphAt(NOW), {
      ...history,
      at: NOW,
    });
    expect({ answers, newest_age_seconds }).toMatchObject({
      answers: 3,
      newest_age_seconds: { count: 1, max: 80 },
    });
  });

  test('of a slice are not measured, because a slice may have no traffic', () => {
    const graph = graphAt(NOW);
    const { minutes } = endpointReportOf({ ...graph, query: { ...graph.query, hostname: 'shop.example' } });
    expect(minutes).toBeNull();
  });

  test('that change later show until which age they do', () => {
    const { changed_age_seconds } = minutesOf(
      graphAt(NOW),
      graphAt(NOW + MINUTE),
      graphAt(NOW + 2 * MINUTE, { bytes: 2 }),
    );
    expect(changed_age_seconds).toMatchObject({ count: 9, min: 140, max: 620 });
  });

  test('may be empty, absent, repeated, outside of the period, and in any order', () => {
    const graph = graphAt(NOW);
    const row = (interval: string, requests: number) => ({ interval, bytes: requests, requests });
    const intervals = [
      ...[row('2026-07-05 11:58:00', 1), row('2026-07-05 11:55:00', 0)],
      ...[row('2026-07-05 11:58:00', 1), row('2026-07-05 13:00:00', 1)],
    ];
    expect(minutesOf({ ...graph, json: { data: { intervals } } })).toMatchObject({
      ...{ answers: 1, buckets: 4, empty: 1, repeated: 1, outside: 1, absent: 63 },
      ...{ ascending_answers: 0, descending_answers: 0, unordered_answers: 1 },
    });
  });
});

describe('the lateness of minutes', () => {
  /** Three hours before daylight saving ends in Paris. */
  const BEGIN = Date.parse('2026-10-24T22:00:20Z');
  const LOOK_BACK = 120;

  /** Answers a poll in which our clock is ahead, or after which the answer says another time. */
  const pollAt = (at: number, { zone = 'UTC', aheadMs = 0, dateMs = 0 } = {}): ObservedAnswer => {
    const current = Math.floor((at + aheadMs) / MINUTE) * MINUTE;
    const intervals = Array.from({ length: LOOK_BACK }, (_, index) => ({
      interval: formatLocal(current - (LOOK_BACK - index) * MINUTE, zone),
      ...{ bytes: 1, requests: 1 },
    }));
    const query = {
      interval: 'minute',
      period_start: formatLocal(current - LOOK_BACK * MINUTE, zone),
      period_end: formatLocal(current + MINUTE, zone),
    };
    return answerWith('analytics/graph', { data: { intervals } }, { query, at: at + dateMs });
  };
  const minutesAfter = (polls: number, zone: string, optionsAt: (index: number) => object) => {
    const report = new AccountReport(zone);
    for (let index = 0; index < polls; index += 1)
      report.observe(pollAt(BEGIN + index * MINUTE, { zone, ...optionsAt(index) }));
    return report.toJson(1).endpoints[0]?.minutes;
  };
  const LATE = 80;

  test('is measured again after an answer with an old date', () => {
    const minutes = minutesAfter(200, 'UTC', (index) => (index === 5 ? { dateMs: -20 * MINUTE } : {}));
    expect(minutes?.newest_age_seconds).toMatchObject({ min: LATE, max: LATE });
    expect(minutes?.newest_age_seconds?.count).toBeGreaterThan(150);
  });

  test('is measured again after our clock was ahead', () => {
    const minutes = minutesAfter(200, 'UTC', (index) => (index < 10 ? { aheadMs: 10 * MINUTE } : {}));
    expect(minutes?.newest_age_seconds).toMatchObject({ min: LATE, max: LATE });
    expect(minutes?.newest_age_seconds?.count).toBeGreaterThan(150);
  });

  test('is measured again after the end of daylight saving, whose repeated hour is no deviation', () => {
    const minutes = minutesAfter(10 * 60, 'Europe/Paris', () => ({}));
    expect(minutes).toMatchObject({ repeated: 0, outside: 0, absent: 0, unordered_answers: 0 });
    expect(minutes?.newest_age_seconds).toMatchObject({ min: LATE - 3_600, max: LATE - 3_600 });
    expect(minutes?.newest_age_seconds?.count).toBeGreaterThan(200);
  });
});

test.each([
  ['2026-07-05 12:00:19', 1],
  ['2026-07-05 14:00:19', 1 - 2 * 3_600],
])('the results of a test show the zone: %s', (created, age) => {
  const results = ['2026-07-05 11:58:00', created, null].map((time) => ({
    proxy_test_result_creation_datetime: time,
  }));
  const answer = answerWith('proxy_test_run/create', { data: { one: { results } } }, { at: NOW });
  expect(endpointReportOf(answer).newest_result_age_seconds).toMatchObject({ count: 1, median: age });
});

test('a report begins again when the answers come from another server', () => {
  const report = new AccountReport('UTC');
  const endpointsAfter = (baseUrl: string): number => {
    report.clientCreated(baseUrl);
    const { endpoints } = report.toJson(1);
    report.observe(answerWith('city/retrieve', {}));
    return endpoints.length;
  };
  const servers = [
    'https://one.example.com/1.0',
    'https://one.example.com/1.0',
    'https://two.example.com/1.0',
  ];
  expect(servers.map(endpointsAfter)).toEqual([0, 1, 0]);
});

describe('an answer 429', () => {
  const refused = (retryAfter: string | undefined, message: string): ObservedAnswer =>
    answerWith(
      'checkout/catalog',
      { error: 'Too Many Requests', message },
      { status: 429, retryAfter, at: NOW },
    );

  test('is counted by how it says how long to wait', () => {
    const { rate_limits } = endpointReportOf(
      refused('30', 'Rate limit exceeded.'),
      refused(new Date(NOW + 9_640).toUTCString(), 'Please try again in 45 seconds.'),
      refused(undefined, 'Please try again in 45 seconds.'),
      refused(undefined, 'Please try again later.'),
      refused('soon', 'Please try again later.'),
    );
    expect(rate_limits).toEqual({
      ...{ answers: 5, header_seconds: 1, header_date: 1, header_other: 1, message_time: 2, without_time: 2 },
      wait_seconds: { count: 3, min: 9, median: 30, p95: 45, max: 45 },
    });
  });

  test('may have a header that is no time', () => {
    const { rate_limits } = endpointReportOf(
      ...['1.5', '-5', '9'.repeat(400), '', '12 monkeys'].map((header) => refused(header, 'Later.')),
    );
    expect(rate_limits).toMatchObject({
      ...{ answers: 5, header_seconds: 1, header_other: 4, without_time: 4 },
      wait_seconds: { count: 1, max: 1.5 },
    });
  });
});

describe('after fifty answers, a random twentieth is compared', () => {
  test.each([
    [0.049, 150],
    [0.05, 50],
  ])('for the random number %d', (random, compared_answers) => {
    const report = new AccountReport('UTC', () => random);
    for (let index = 0; index < 150; index += 1)
      report.observe(answerWith('city/retrieve', { data: {}, message: '' }));
    expect(report.toJson(1).endpoints[0]).toMatchObject({
      ...{ compared_answers, bytes: { count: 150, median: 1_000 }, seconds: { median: 0.012 } },
    });
  });
});

describe('totals', () => {
  const graphTotals = (data: object) =>
    endpointReportOf(answerWith('analytics/graph', { message: '', data })).totals.map(
      ({ rule, different }) => [rule.split(' ')[0], different],
    );

  test('are not compared without the list that they sum up', () => {
    expect(graphTotals({ total_bytes: 5 })).toEqual([]);
  });

  test('of integers differ by any amount, and of money only if it is more than rounding', () => {
    const intervals = Array.from({ length: 10 }, () => ({ bytes: 1e15, smartpath_money_saved: 123.1 }));
    const money = (total: number) => ({
      intervals,
      total_bytes: 1e16 - 2,
      total_smartpath_money_saved: total,
    });
    expect(graphTotals(money(1_231.000_001))).toEqual([
      ['data.total_bytes', 1],
      ['data.total_smartpath_money_saved', 0],
    ]);
    expect(graphTotals(money(1_231.1))).toContainEqual(['data.total_smartpath_money_saved', 1]);
  });
});

test('an endpoint without documentation is measured and not compared', () => {
  const answer = answerWith('unknown/search', { data: [1], item_count: 7 });
  expect(endpointReportOf(answer)).toMatchObject({
    ...{ compared_answers: 0, bytes: { count: 1 }, fields: [], unknown_fields: [], totals: [] },
  });
});

test('an answer that is not JSON is measured and not compared', () => {
  expect(endpointReportOf(answerWith('city/retrieve', undefined))).toMatchObject({
    ...{ compared_answers: 0, bytes: { count: 1 }, fields: [] },
  });
});

test('an answer that is no object at all differs as a whole', () => {
  const { fields } = endpointReportOf(answerWith('city/retrieve', [1]), answerWith('city/retrieve', null));
  expect(fields).toEqual([
    {
      path: '',
      documented: 'object',
      expected: 2,
      missing: 0,
      null: 1,
      other_types: { list: 1 },
      unknown_words: 0,
    },
  ]);
});
