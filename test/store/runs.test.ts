// The collectors' runs, and whose data an account's rows are.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import type { FinishedRun } from '../../src/store/run-store.ts';
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

it('a run is remembered over a restart, the last of each collector and account', async () => {
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
      passMs: 0,
    },
    { ...run(), lastSuccessAt: START + 5, failures: 0, watchedSince: START, passMs: 0 },
  ]);
  expect(await test.store.runs.states('unknown')).toEqual([]);
});

it('failures are counted in a row, and the last success stays', async () => {
  using test = new TestStore();
  const failed = run({
    result: 'failed',
    errorKind: 'network',
    errorMessage: 'no answer',
    finishedAt: START + 9,
  });
  const seen = [];
  for (const each of [failed, run(), failed, failed, run({ result: 'partial', finishedAt: START + 10 })]) {
    await test.store.runs.record(each);
    const [state] = await test.store.runs.states('main');
    seen.push([state?.failures, state?.lastSuccessAt, state?.errorKind]);
  }
  expect(seen).toEqual([
    [1, null, 'network'],
    [0, START + 5, null],
    [1, START + 5, 'network'],
    [2, START + 5, 'network'],
    [0, START + 5, null],
  ]);
});

it('what a run could not read stays known over failures', async () => {
  using test = new TestStore();
  const seen = [];
  for (const each of [run({ skippedItems: 3 }), run({ result: 'failed' }), run()]) {
    await test.store.runs.record(each);
    const [state] = await test.store.runs.states('main');
    seen.push(state?.skippedItems);
  }
  expect(seen).toEqual([3, 3, 0]);
});

it('a collector is watched since its first run, and anew after a gap of three intervals', async () => {
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

it('a run of which parts failed is a success where it read what it is there for', async () => {
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

it('an account is the first customer’s that claimed it', async () => {
  using test = new TestStore();
  expect(await test.store.accounts.customer('main')).toBeUndefined();
  expect(await test.store.accounts.claimCustomer('main', 7)).toBe(7);
  expect(await test.store.accounts.claimCustomer('main', 8)).toBe(7);
  expect(await test.store.accounts.claimCustomer('another', 8)).toBe(8);
  test.restart();
  expect(await test.store.accounts.customer('main')).toBe(7);
});

it('an account that has rows but no customer yet can be claimed', async () => {
  using test = new TestStore();
  await test.store.runs.record(run());
  expect(await test.store.accounts.customer('main')).toBeUndefined();
  expect(await test.store.accounts.claimCustomer('main', 7)).toBe(7);
});

it('how long a whole listing takes stays until the next whole one, or until one is expected to take longer', async () => {
  using test = new TestStore();
  const passes = [
    undefined,
    { ms: 5, isWhole: false },
    { ms: 20, isWhole: true },
    undefined,
    { ms: 7, isWhole: false },
    { ms: 30, isWhole: false },
    { ms: 9, isWhole: true },
  ];
  const seen = [];
  for (const pass of passes) {
    await test.store.runs.record({ ...run(), pass });
    seen.push((await test.store.runs.states('main'))[0]?.passMs);
  }
  expect(seen).toEqual([0, 5, 20, 20, 20, 30, 9]);
});
