// Tests what the metrics of a collector show while its run waits because the provider answered 429.

import { expect, it } from 'vitest';
import { COMMON_FAMILIES, exposeRun } from '../../src/collectors/common-families.ts';
import { SECOND } from '../../src/lib/time.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import type { RunWait } from '../../src/provider/run-waits.ts';
import type { FinishedRun } from '../../src/store/account-store.ts';
import { parse, textOf } from '../metrics/support.ts';
import { START, TestStore } from '../store/support.ts';

const PART = { account: 'main', collector: 'traffic' };
const RUN: FinishedRun = {
  ...{ ...PART, startedAt: START, finishedAt: START, result: 'ok', isSuccess: true, intervalMs: 60_000 },
  ...{ errorKind: null, errorMessage: null, skippedItems: 0, failingParts: 0 },
};
const waitOf = (seconds: number): RunWait => ({ since: START, until: START + seconds * SECOND });

/** Returns success and the kinds of errors that are shown as 1. */
const shown = async ({ store }: TestStore, wait?: RunWait) => {
  const exposition = new Exposition(COMMON_FAMILIES);
  await exposition.render(PART, (sink) => exposeRun('main', 'traffic', store, sink, new Set(), wait));
  const samples = parse(await textOf(exposition));
  const valuesOf = (family: string) =>
    samples.filter(({ name }) => name === `proxywatch_collector_${family}`);
  return {
    success: valuesOf('success')[0]?.value,
    errors: valuesOf('error').flatMap(({ labels, value }) => (value === 1 ? labels.kind : [])),
    failures: valuesOf('consecutive_failures')[0]?.value,
  };
};

it('a short wait is an error, and no failure', async () => {
  using test = new TestStore();
  await test.store.runs.record(RUN);
  expect(await shown(test)).toEqual({ success: 1, errors: [], failures: 0 });
  expect(await shown(test, waitOf(2))).toEqual({ success: 1, errors: ['rate_limited'], failures: 0 });
});

it('a wait of ten seconds or more is no success, and does not hide the error of the last run', async () => {
  using test = new TestStore();
  await test.store.runs.record(RUN);
  expect(await shown(test, waitOf(10))).toEqual({ success: 0, errors: ['rate_limited'], failures: 0 });
  await test.store.runs.record({ ...RUN, result: 'failed', isSuccess: false, errorKind: 'auth' });
  expect(await shown(test, waitOf(2))).toEqual({ success: 0, errors: ['auth', 'rate_limited'], failures: 1 });
});

it('the first run shows that it waits before any run has ended', async () => {
  using test = new TestStore();
  expect(await shown(test)).toEqual({ success: undefined, errors: [], failures: undefined });
  expect(await shown(test, waitOf(2))).toMatchObject({ success: undefined, errors: ['rate_limited'] });
  expect(await shown(test, waitOf(300))).toMatchObject({ success: 0, errors: ['rate_limited'] });
});
