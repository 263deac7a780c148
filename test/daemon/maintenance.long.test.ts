// Tests the maintenance of a daemon's store: its schedule, its progress, and failures.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Maintenance } from '../../src/daemon/maintenance.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import type { Store } from '../../src/store/store.ts';
import { Harness } from '../support/harness.ts';

const NOW = '2026-07-06T00:00:05Z';

const build = (): Promise<Harness> =>
  Harness.build({
    now: NOW,
    scenario: { start: '2026-06-28T00:00:00Z', users: 3 },
    account: { traffic: { graphs: [] }, residential_ledger: false },
  });

const metric = async (harness: Harness, name: string): Promise<number | undefined> =>
  (await harness.samples()).value(`proxywatch_store_maintenance_${name}`);

it('runs ten minutes after the start and then every hour, and reports what it did', async () => {
  await using harness = await build();
  await harness.advance(5 * MINUTE);
  expect(await metric(harness, 'last_success_timestamp_seconds')).toBeUndefined();
  await harness.advance(5 * MINUTE);
  expect(await metric(harness, 'last_success_timestamp_seconds')).toBe(Date.parse(NOW) / 1_000 + 600);
  await harness.advance(2 * DAY);
  await harness.advance(HOUR);
  expect((await harness.samples()).value('proxywatch_store_maintenance_runs_total', { result: 'ok' })).toBe(
    3,
  );
  expect(await metric(harness, 'deleted_rows_total')).toBeGreaterThan(0);
  const [graph] = await harness.app.store.traffic.graphs('main');
  const floor = graph?.floor ?? 0;
  expect(harness.clock.now() - floor).toBeGreaterThanOrEqual(8 * DAY);
  expect(harness.clock.now() - floor).toBeLessThan(8 * DAY + 2 * HOUR);
});

it('removes proxies that are neither tested nor configured any more', async () => {
  await using harness = await build();
  const { tests } = harness.app.store;
  const result = { url: 'shop', tester: 'london-1', errorSource: null, errorCode: null, responseTimeMs: 1 };
  const test = (proxy: string, now: number) =>
    tests.saveBatch('main', { results: [{ ...result, proxy, isSuccessful: true }], proxies: [proxy], now });
  const { daily } = harness.settings.store.retention;
  await test('old', harness.clock.now() - daily);
  await test('young', harness.clock.now());
  await harness.advance(10 * MINUTE);
  expect((await tests.proxies('main')).map(({ proxy }) => proxy)).toEqual(['young']);
});

it('does not stop the daemon when it fails, and is tried again', async () => {
  await using harness = await build();
  const metrics = new DaemonMetrics({ version: '1.2.3', nodeVersion: '24.0.0' });
  const errors: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (_, message) => void errors.push(message),
    child: () => log,
  };
  const { store } = harness.app;
  let isFailing = true;
  const failingStore = {
    ...store,
    maintain: (plan: Parameters<typeof store.maintain>[0]) =>
      isFailing ? Promise.reject(new Error('disk full')) : store.maintain(plan),
  };
  const { clock } = harness;
  const settings = () => harness.settings;
  await using maintenance = new Maintenance({ store: failingStore, settings, clock, log, metrics });
  const pass = async (ms: number): Promise<void> => {
    await harness.advance(ms);
    await maintenance.idle();
  };
  await pass(10 * MINUTE);
  expect(errors).toEqual(['the maintenance of the store failed, so proxywatch tries again in an hour']);
  isFailing = false;
  await pass(HOUR);
  expect(errors).toHaveLength(1);
});

it('reports its progress, and logs that of a long run', async () => {
  await using harness = await build();
  const lines: (readonly [string, object])[] = [];
  const log: Log = {
    ...silentLog,
    info: (fields, text) => void lines.push([text, fields]),
    child: () => log,
  };
  const { clock } = harness;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const progress = { done: 3, total: 50, unit: 'graphs' };
  const slowMaintain: Store['maintain'] = async (plan) => {
    plan.progress?.(progress);
    await ended;
    return { deletedRows: 7 };
  };
  await using maintenance = new Maintenance({
    store: { ...harness.app.store, maintain: slowMaintain },
    settings: () => harness.settings,
    clock,
    log,
    metrics: new DaemonMetrics({ version: '1.2.3', nodeVersion: '24.0.0' }),
  });
  const nextAt = clock.now() + 10 * MINUTE;
  expect(maintenance.status()).toEqual({ nextAt, runningSince: null, progress: null });
  clock.advance(10 * MINUTE);
  await nextTurn();
  expect(maintenance.status()).toEqual({ nextAt, runningSince: nextAt, progress });
  for (const seconds of [9, 1, 9, 1]) {
    clock.advance(seconds * SECOND);
    maintenance.logProgress();
  }
  end();
  await maintenance.idle();
  await nextTurn();
  expect(lines).toEqual([
    ['run still in progress', { durationMs: 10_000, ...progress }],
    ['run still in progress', { durationMs: 20_000, ...progress }],
    ['run finished', { durationMs: 20_000, deletedRows: 7 }],
  ]);
  expect(maintenance.status()).toMatchObject({ nextAt: clock.now() + HOUR, runningSince: null });
});

it('ends a current run when the daemon stops', async () => {
  await using harness = await build();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const slowMaintain: Store['maintain'] = ({ signal }) =>
    new Promise((resolve) => {
      begin();
      signal.addEventListener('abort', () => resolve({ deletedRows: 0 }));
    });
  const maintenance = new Maintenance({
    store: { ...harness.app.store, maintain: slowMaintain },
    settings: () => harness.settings,
    clock: harness.clock,
    log: silentLog,
    metrics: new DaemonMetrics({ version: '1.2.3', nodeVersion: '24.0.0' }),
  });
  harness.clock.advance(10 * MINUTE);
  await begun;
  await maintenance[Symbol.asyncDispose]();
});
