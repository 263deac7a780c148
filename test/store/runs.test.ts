// Tests the stored runs of collectors, and the customers of accounts.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import type { FinishedRun } from '../../src/store/account-store.ts';
import { START, TestStore } from './support.ts';

const run = (values: Partial<FinishedRun> = {}): FinishedRun => ({
  account: 'main',
  collector: 'traffic',
  startedAt: START,
  finishedAt: START + 5,
  result: 'ok',
  isSuccess: (values.result ?? 'ok') === 'ok',
  errorKind: null,
  errorMessage: null,
  skippedItems: 0,
  failingParts: 0,
  intervalMs: 60_000,
  ...values,
});

it('the last run of each collector and account survives a restart', async () => {
  using test = new TestStore();
  await test.store.runs.record(run());
  await test.store.runs.record(run({ collector: 'proxy_users', result: 'partial' }));
  await test.store.runs.record(run({ account: 'another' }));
  test.restart();
  expect(await test.store.runs.states('main')).toEqual([
    {
      ...run({ collector: 'proxy_users', result: 'partial' }),
      lastSuccessAt: null,
      failures: 0,
      watchedSince: START,
      wholeListingMs: 0,
    },
    { ...run(), lastSuccessAt: START + 5, failures: 0, watchedSince: START, wholeListingMs: 0 },
  ]);
  expect(await test.store.runs.states('unknown')).toEqual([]);
});

it('consecutive failures are counted, and the last success stays', async () => {
  using test = new TestStore();
  const failed = run({
    result: 'failed',
    errorKind: 'network',
    errorMessage: 'no answer',
    finishedAt: START + 9,
  });
  const found = [];
  for (const each of [failed, run(), failed, failed, run({ result: 'partial', finishedAt: START + 10 })]) {
    await test.store.runs.record(each);
    const [state] = await test.store.runs.states('main');
    found.push([state?.failures, state?.lastSuccessAt, state?.errorKind]);
  }
  expect(found).toEqual([
    [1, null, 'network'],
    [0, START + 5, null],
    [1, START + 5, 'network'],
    [2, START + 5, 'network'],
    [0, START + 5, null],
  ]);
});

it('failed runs keep the number of skipped items', async () => {
  using test = new TestStore();
  const found = [];
  for (const each of [run({ skippedItems: 3 }), run({ result: 'failed' }), run()]) {
    await test.store.runs.record(each);
    const [state] = await test.store.runs.states('main');
    found.push(state?.skippedItems);
  }
  expect(found).toEqual([3, 3, 0]);
});

it('a collector is watched since its first run, or since the end of a gap of three intervals', async () => {
  using test = new TestStore();
  const since = async (): Promise<number | undefined> => {
    const [state] = await test.store.runs.states('main');
    return state?.watchedSince;
  };
  await test.store.runs.watch('main', 'traffic', START);
  expect(await since()).toBeUndefined();
  await test.store.runs.record(run());
  await test.store.runs.record(run({ startedAt: START + MINUTE, finishedAt: START + MINUTE }));
  await test.store.runs.watch('main', 'traffic', START + 3 * MINUTE);
  expect(await since()).toBe(START);
  await test.store.runs.watch('main', 'traffic', START + 5 * MINUTE);
  expect(await since()).toBe(START + 5 * MINUTE);
});

it('a partial run is a success if it read its main data', async () => {
  using test = new TestStore();
  await test.store.runs.record(run({ result: 'partial', isSuccess: true }));
  expect(await test.store.runs.states('main')).toMatchObject([
    { result: 'partial', isSuccess: true, lastSuccessAt: START + 5 },
  ]);
  await test.store.runs.record(run({ result: 'partial', finishedAt: START + 9 }));
  expect(await test.store.runs.states('main')).toMatchObject([
    { result: 'partial', isSuccess: false, lastSuccessAt: START + 5 },
  ]);
});

it('an account belongs to the first customer that claimed it', async () => {
  using test = new TestStore();
  expect(await test.store.accounts.customer('main')).toBeUndefined();
  expect(await test.store.accounts.claimCustomer('main', 7)).toBe(7);
  expect(await test.store.accounts.claimCustomer('main', 8)).toBe(7);
  expect(await test.store.accounts.claimCustomer('another', 8)).toBe(8);
  test.restart();
  expect(await test.store.accounts.customer('main')).toBe(7);
});

it('an account with rows but without a customer can be claimed', async () => {
  using test = new TestStore();
  await test.store.runs.record(run());
  expect(await test.store.accounts.customer('main')).toBeUndefined();
  expect(await test.store.accounts.claimCustomer('main', 7)).toBe(7);
});

it('the duration of a whole listing stays until the next whole one, or until a longer estimate', async () => {
  using test = new TestStore();
  const passes = [
    undefined,
    { ms: 5, isComplete: false },
    { ms: 20, isComplete: true },
    undefined,
    { ms: 7, isComplete: false },
    { ms: 30, isComplete: false },
    { ms: 9, isComplete: true },
  ];
  const found = [];
  for (const pass of passes) {
    await test.store.runs.record({ ...run(), pass });
    found.push((await test.store.runs.states('main'))[0]?.wholeListingMs);
  }
  expect(found).toEqual([0, 5, 20, 20, 20, 30, 9]);
});
