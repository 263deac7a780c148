// What the store keeps of how endpoints answered.

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

it('keeps what is known of an account, in the place of what was', async () => {
  using test = new TestStore();
  const { endpoints } = test.store;
  expect(await endpoints.standing('main')).toEqual(NOTHING);
  await endpoints.save('main', { endpoints: [FORBIDDEN, PAUSED], unreached: UNREACHED });
  expect(await endpoints.standing('main')).toEqual({ endpoints: [FORBIDDEN, PAUSED], unreached: UNREACHED });
  expect(await endpoints.standing('other')).toEqual(NOTHING);
  await endpoints.save('main', { endpoints: [PAUSED], unreached: null });
  expect(await endpoints.standing('main')).toEqual({ endpoints: [PAUSED], unreached: null });
});

it('brings times of a clock that was far ahead to the present, and leaves a pause that may be one', async () => {
  using test = new TestStore();
  const now = START - 30 * DAY;
  await test.store.endpoints.save('main', { endpoints: [FORBIDDEN, PAUSED], unreached: UNREACHED });
  await test.store.runs.record({
    ...{ account: 'main', collector: 'traffic', startedAt: START, finishedAt: START, intervalMs: HOUR },
    ...{ result: 'ok', isSuccess: true, errorKind: null, errorMessage: null },
    ...{ skippedItems: 0, failingParts: 0 },
  });
  await test.store.followClock(START - HOUR);
  expect((await test.store.endpoints.standing('main')).endpoints[1]).toMatchObject({
    ...{ refusedSince: START - HOUR, pausedUntil: START + 12 * HOUR },
  });
  await test.store.runs.record({
    ...{ account: 'main', collector: 'traffic', startedAt: START, finishedAt: START, intervalMs: HOUR },
    ...{ result: 'ok', isSuccess: true, errorKind: null, errorMessage: null },
    ...{ skippedItems: 0, failingParts: 0 },
  });
  await test.store.followClock(now);
  const { endpoints, unreached } = await test.store.endpoints.standing('main');
  expect(endpoints).toMatchObject([{ rejectedSince: now }, { lastSuccessAt: now, pausedUntil: now }]);
  expect(unreached).toEqual({ since: now, newestAt: now });
});
