// Tests the stored state of endpoints.

import { expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { START, TestStore } from './support.ts';

const PAUSED = {
  endpoint: 'proxy_test_run/create',
  lastSuccessAt: START - HOUR,
  rejectedSince: null,
  rejectedStatus: null,
  refusedSince: START,
  pausedUntil: START + 12 * HOUR,
};
const FORBIDDEN = {
  endpoint: 'proxy/search',
  ...{
    lastSuccessAt: null,
    rejectedSince: START,
    rejectedStatus: 403,
    refusedSince: null,
    pausedUntil: null,
  },
};
const UNREACHED = { since: START - HOUR, newestAt: START };
const NOTHING = { endpoints: [], unreached: null };

it('replaces the stored state of an account', async () => {
  using test = new TestStore();
  const { endpoints } = test.store;
  expect(await endpoints.load('main')).toEqual(NOTHING);
  await endpoints.save('main', { endpoints: [FORBIDDEN, PAUSED], unreached: UNREACHED });
  expect(await endpoints.load('main')).toEqual({ endpoints: [FORBIDDEN, PAUSED], unreached: UNREACHED });
  expect(await endpoints.load('other')).toEqual(NOTHING);
  await endpoints.save('main', { endpoints: [PAUSED], unreached: null });
  expect(await endpoints.load('main')).toEqual({ endpoints: [PAUSED], unreached: null });
});

it('corrects times of a clock that was far ahead, and leaves a possible pause', async () => {
  using test = new TestStore();
  const now = START - 30 * DAY;
  await test.store.endpoints.save('main', { endpoints: [FORBIDDEN, PAUSED], unreached: UNREACHED });
  await test.store.runs.record({
    ...{ account: 'main', collector: 'traffic', startedAt: START, finishedAt: START, intervalMs: HOUR },
    ...{ result: 'ok', isSuccess: true, errorKind: null, errorMessage: null },
    ...{ skippedItems: 0, failingParts: 0 },
  });
  await test.store.correctFutureTimes(START - HOUR, 'main');
  expect((await test.store.endpoints.load('main')).endpoints[1]).toMatchObject({
    ...{ refusedSince: START - HOUR, pausedUntil: START + 12 * HOUR },
  });
  await test.store.runs.record({
    ...{ account: 'main', collector: 'traffic', startedAt: START, finishedAt: START, intervalMs: HOUR },
    ...{ result: 'ok', isSuccess: true, errorKind: null, errorMessage: null },
    ...{ skippedItems: 0, failingParts: 0 },
  });
  await test.store.correctFutureTimes(now, 'main');
  const { endpoints, unreached } = await test.store.endpoints.load('main');
  expect(endpoints).toMatchObject([{ rejectedSince: now }, { lastSuccessAt: now, pausedUntil: now }]);
  expect(unreached).toEqual({ since: now, newestAt: now });
});
