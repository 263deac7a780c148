// When alerts about the daemon itself find something, and that their thresholds are shown.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { findingsOf } from '../support/findings.ts';
import { Harness } from '../support/harness.ts';

const build = (): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T12:01:30Z',
    account: { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
  });

it('a store fails when writes fail in a row, until one succeeds', async () => {
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

it('a reload has failed until one succeeds', async () => {
  await using harness = await build();
  expect(await findingsOf(harness, 'ReloadFailed')).toEqual([]);
  harness.app.metrics.reloaded(false, harness.clock.now());
  expect(await findingsOf(harness, 'ReloadFailed')).toEqual([{ labels: {}, value: 0 }]);
  harness.app.metrics.reloaded(true, harness.clock.now());
  expect(await findingsOf(harness, 'ReloadFailed')).toEqual([]);
});

it('notifications fail when they have waited for more than 15 minutes', async () => {
  await using harness = await build();
  const waiting = new Map([
    ['hook', harness.clock.now() - 16 * MINUTE],
    ['mail', harness.clock.now() - 14 * MINUTE],
  ]);
  expect(await findingsOf(harness, 'NotificationsFailing', waiting)).toEqual([
    { labels: { receiver: 'hook' }, value: 960 },
  ]);
});

it('thresholds about the daemon stand without an account', async () => {
  await using harness = await build();
  const samples = await harness.samples();
  const thresholds = samples.all('proxywatch_alert_threshold').filter(({ labels }) => !('account' in labels));
  expect(Object.fromEntries(thresholds.map(({ labels, value }) => [labels.alert, value]))).toEqual({
    StoreFailing: 2,
    ReloadFailed: 1,
    NotificationsFailing: 900,
  });
});
