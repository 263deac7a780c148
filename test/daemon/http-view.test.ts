// Tests when the daemon is ready, and what its status shows.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/daemon/app.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { silentLog } from '../../src/lib/log.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { Job } from '../../src/schedule/job.ts';
import { simulateFullDisk } from '../support/full-disk.ts';
import { Harness } from '../support/harness.ts';

const START = '2026-07-06T12:01:30Z';

const build = (account: Record<string, unknown> = {}): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: { start: '2026-07-06T00:00:00Z', users: 3 },
    account: { traffic: { catch_up: '1h', graphs: [] }, reconciliation: false, ...account },
  });

/** Creates an app whose runs have not begun, with an empty store or with that of the harness. */
const openApp = ({ settings, folder, clock }: Harness, store: 'empty' | 'known'): Promise<App> =>
  createApp({
    settings:
      store === 'known'
        ? settings
        : { ...settings, store: { ...settings.store, path: join(folder, 'empty.db') } },
    ...{ clock, log: silentLog, version: '1.2.3', nodeVersion: '24.0.0', isDurable: false },
  });

const viewOf = (app: App, { clock }: Harness) => createView({ app, clock, version: '1.2.3' });

describe('the daemon', () => {
  it('is not ready until every collector has tried a first pass', async () => {
    await using harness = await build();
    await using app = await openApp(harness, 'empty');
    const view = viewOf(app, harness);
    const reasonsFor = (names: string[]) =>
      names.map((name) => `main: ${name} has not finished its first run yet`);
    const [traffic, ...others] = app.accounts.flatMap(({ jobs }) => jobs);
    expect(await view.notReadyReasons()).toEqual(
      reasonsFor(['traffic', 'residential_ledger', 'proxy_users']),
    );
    if (traffic) await app.runner.add(traffic);
    await app.runner.idle();
    expect(await view.notReadyReasons()).toEqual(reasonsFor(['residential_ledger', 'proxy_users']));
    for (const job of others) await app.runner.add(job);
    await app.runner.idle();
    expect(await view.notReadyReasons()).toEqual([]);
  });

  it('is ready when the first pass failed', async () => {
    await using harness = await build({ private_key: 'wrong' });
    expect((await harness.samples()).all('proxywatch_collector_success').map(({ value }) => value)).toEqual([
      0, 0, 0,
    ]);
    expect(await viewOf(harness.app, harness).notReadyReasons()).toEqual([]);
  });

  it('is ready at once if the store has data of an earlier first pass', async () => {
    await using harness = await build();
    await harness.stop();
    await using app = await openApp(harness, 'known');
    expect(await viewOf(app, harness).notReadyReasons()).toEqual([]);
  });

  it('is not ready again while writes to the store fail in a row, and names the store', async () => {
    await using harness = await build();
    const view = viewOf(harness.app, harness);
    expect(await view.notReadyReasons()).toEqual([]);
    const disk = simulateFullDisk(harness.settings.store.path);
    for (let minute = 0; minute < 5; minute += 1) await harness.advance(MINUTE);
    const failures = harness.app.metrics.store.writeFailures;
    expect(failures).toBeGreaterThan(2);
    expect(await view.notReadyReasons()).toEqual([
      `the store ${harness.settings.store.path} rejects writes: the last ${failures} have failed`,
    ]);
    disk[Symbol.dispose]();
    await harness.advance(MINUTE);
    expect(await view.notReadyReasons()).toEqual([]);
  });

  it('uses the threshold of StoreFailing, whether that alert is enabled or not', async () => {
    await using harness = await build();
    const { metrics } = harness.app;
    const view = viewOf(harness.app, harness);
    const reasons = async () => (await view.notReadyReasons()).length;
    metrics.store.written(1, new Error('full'));
    expect(await reasons()).toBe(0);
    metrics.store.written(1, new Error('full'));
    expect(await reasons()).toBe(1);
    const alerts = { ...harness.settings.alerts, StoreFailing: { threshold: 3, enabled: false } };
    await harness.app.reconfigure({ ...harness.settings, alerts });
    metrics.store.written(1);
    metrics.store.written(1, new Error('full'));
    metrics.store.written(1, new Error('full'));
    expect(await reasons()).toBe(0);
    metrics.store.written(1, new Error('full'));
    expect(await reasons()).toBe(1);
  });

  it('reports whether it is ready without writing anything', async () => {
    await using harness = await build();
    await using app = await openApp(harness, 'empty');
    const sql = new SQLite(join(harness.folder, 'empty.db'), { readonly: true });
    onTestFinished(() => void sql.close());
    const version = () => sql.pragma('data_version', { simple: true });
    const before = version();
    expect(await viewOf(app, harness).notReadyReasons()).not.toEqual([]);
    expect(version()).toBe(before);
  });
});

describe('the status', () => {
  it('shows the state of every collector', async () => {
    await using harness = await build({ proxy_users: false });
    const view = viewOf(harness.app, harness);
    const startedAt = Date.parse(START);
    harness.simulator.faults.add({ kind: 'status', status: 503, endpoint: 'analytics' });
    await harness.advance(MINUTE);
    await harness.advance(MINUTE);
    const { accounts, ...rest } = await view.status();
    const maintenance = { nextAt: startedAt + 10 * MINUTE, runningSince: null, progress: null };
    const owners = [{ account: 'main', shard: 0, isPinned: false }];
    const shards = { index: 0, count: 1, urls: [], owners };
    expect(rest).toEqual({ version: '1.2.3', startedAt, maintenance, remoteWrite: [] });
    expect(view.shards()).toEqual(shards);
    expect(accounts).toMatchObject([
      {
        name: 'main',
        customerId: 4711,
        collectors: [
          {
            name: 'traffic',
            result: 'failed',
            lastAttemptAt: startedAt + 2 * MINUTE,
            lastSuccessAt: startedAt,
            error: { kind: 'server', message: expect.stringContaining('503') },
            failuresInARow: 2,
            intervalMs: MINUTE,
            runningSince: null,
            progress: null,
          },
          { name: 'residential_ledger', result: 'ok', error: null, failuresInARow: 0 },
        ],
      },
    ]);
  });

  it('shows no result of a collector whose first run is in progress', async () => {
    await using harness = await build();
    await using app = await openApp(harness, 'empty');
    const [job] = app.accounts.flatMap(({ jobs }) => jobs);
    const collect: Job['collect'] = (signal, progress) => {
      progress({ done: 3, total: 8, unit: 'windows' });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    if (job) await app.runner.add({ ...job, collect });
    const [account] = (await viewOf(app, harness).status()).accounts;
    expect(account).toMatchObject({
      customerId: null,
      collectors: [
        {
          ...{ name: 'traffic', result: null, lastAttemptAt: null, lastSuccessAt: null, error: null },
          runningSince: Date.parse(START),
          progress: { done: 3, total: 8, unit: 'windows' },
        },
      ],
    });
  });
});
