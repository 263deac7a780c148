// Tests when alerts about the daemon itself have findings, and that their thresholds are exposed.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { findingsOf } from '../support/findings.ts';
import { Harness } from '../support/harness.ts';

const build = (): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T12:01:30Z',
    account: { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
  });

it('finds a failing store after several failed writes in a row, until a write succeeds', async () => {
  await using harness = await build();
  const write = (error?: Error) => harness.app.metrics.store.written(2, error);
  write(new Error('disk full'));
  expect(await findingsOf(harness, 'StoreFailing')).toEqual([]);
  write();
  write(new Error('disk full'));
  expect(await findingsOf(harness, 'StoreFailing')).toEqual([]);
  write(new Error('disk full'));
  harness.clock.advance(60 * MINUTE);
  expect(await findingsOf(harness, 'StoreFailing')).toEqual([{ labels: {}, value: 2 }]);
  write();
  expect(await findingsOf(harness, 'StoreFailing')).toEqual([]);
});

it('finds a failed reload until a reload succeeds', async () => {
  await using harness = await build();
  expect(await findingsOf(harness, 'ReloadFailed')).toEqual([]);
  harness.app.metrics.reloaded(false, harness.clock.now());
  expect(await findingsOf(harness, 'ReloadFailed')).toEqual([{ labels: {}, value: 0 }]);
  harness.app.metrics.reloaded(true, harness.clock.now());
  expect(await findingsOf(harness, 'ReloadFailed')).toEqual([]);
});

it('finds notifications that have waited for more than 15 minutes', async () => {
  await using harness = await build();
  const waiting = new Map([
    ['hook', harness.clock.now() - 16 * MINUTE],
    ['mail', harness.clock.now() - 14 * MINUTE],
  ]);
  expect(await findingsOf(harness, 'NotificationsFailing', waiting)).toEqual([
    { labels: { receiver: 'hook' }, value: 960 },
  ]);
});

it('exposes the thresholds of alerts about the daemon without the label account', async () => {
  await using harness = await build();
  const samples = await harness.samples();
  const thresholds = samples.all('proxywatch_alert_threshold').filter(({ labels }) => !('account' in labels));
  expect(Object.fromEntries(thresholds.map(({ labels, value }) => [labels.alert, value]))).toEqual({
    RemoteWriteFailing: 900,
    BackupFailing: 3600,
    StoreFailing: 2,
    ReloadFailed: 1,
    NotificationsFailing: 900,
  });
});
