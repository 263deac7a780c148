// Tests the API about failed requests: exact and estimated sums, and what is unknown.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { ALL_COLLECTORS, ApiHarness, type Json } from './api-harness.ts';

const OTHERS_OFF = Object.fromEntries(Object.keys(ALL_COLLECTORS).map((name) => [name, false]));

let api: ApiHarness;
beforeAll(async () => {
  api = await ApiHarness.build(
    { log: { codes: { '2011': 1, '3101': 3 } } },
    { ...OTHERS_OFF, request_log: { schedule: '*/10 * * * *', samples: 60 } },
  );
});
afterAll(() => api[Symbol.asyncDispose]());

const answerOf = async (query: string): Promise<{ whole: Json; data: Json[] }> => {
  const { accounts, data } = await api.answer(`request-errors?${query}`);
  return { whole: (accounts as Json[])[0] ?? {}, data: data as Json[] };
};

it('classes are counted, and users and bytes are estimates with a margin', async () => {
  // A run that counts a second window has no more samples for it.
  for (let run = 0; run < 18; run += 1) await api.harness.advance(10 * MINUTE);
  const { whole, data } = await answerOf('by=class');
  expect(data.map(({ name }) => name)).toEqual(['target', 'credentials']);
  expect(data.reduce((sum, { errors }) => sum + Number(errors), 0)).toBe(whole.errors);
  expect(data[1]).toMatchObject({ class: 'credentials', errors_margin: 0 });
  expect(Number(whole.counted_seconds)).toBe(3 * 3_600 + 300);
  const users = await answerOf('by=user&class=credentials&limit=3');
  expect(users.data).toHaveLength(3);
  expect(users.data.every(({ errors_margin }) => Number(errors_margin) > 0)).toBe(true);
  expect(users.whole).toMatchObject({ errors: data[1]?.errors });
  expect(Number(users.whole.bytes)).toBeGreaterThan(0);
});

it('an hour without counted minutes is unknown, also if others are known', async () => {
  const { whole } = await answerOf('from=2026-06-01T00:00:00Z&to=2026-06-01T02:00:00Z');
  expect(whole).toMatchObject({
    requests: null,
    errors: null,
    bytes: null,
    sampled_errors: null,
    counted_seconds: 0,
  });
});
