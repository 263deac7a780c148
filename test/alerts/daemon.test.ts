// When alerts about the daemon itself find something, and that their thresholds are shown.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { findingsOf } from '../support/findings.ts';
import { House } from '../support/house.ts';

const build = (): Promise<House> =>
  House.build({
    now: '2026-07-06T12:01:30Z',
    account: { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
  });

it('a store fails when writes fail in a row, until one succeeds', async () => {
  await using house = await build();
  const write = (error?: Error) => house.app.metrics.store.written(2, error);
  write(new Error('disk full'));
  expect(await findingsOf(house, 'StoreFailing')).toEqual([]);
  write();
  write(new Error('disk full'));
  expect(await findingsOf(house, 'StoreFailing')).toEqual([]);
  write(new Error('disk full'));
  house.clock.advance(60 * MINUTE);
  expect(await findingsOf(house, 'StoreFailing')).toEqual([{ labels: {}, value: 2 }]);
  write();
  expect(await findingsOf(house, 'StoreFailing')).toEqual([]);
});

it('a reload has failed until one succeeds', async () => {
  await using house = await build();
  expect(await findingsOf(house, 'ReloadFailed')).toEqual([]);
  house.app.metrics.reloaded(false, house.clock.now());
  expect(await findingsOf(house, 'ReloadFailed')).toEqual([{ labels: {}, value: 0 }]);
  house.app.metrics.reloaded(true, house.clock.now());
  expect(await findingsOf(house, 'ReloadFailed')).toEqual([]);
});

it('notifications fail when they have waited for more than 15 minutes', async () => {
  await using house = await build();
  const waiting = new Map([
    ['hook', house.clock.now() - 16 * MINUTE],
    ['mail', house.clock.now() - 14 * MINUTE],
  ]);
  expect(await findingsOf(house, 'NotificationsFailing', waiting)).toEqual([
    { labels: { receiver: 'hook' }, value: 960 },
  ]);
});

it('thresholds about the daemon stand without an account', async () => {
  await using house = await build();
  const samples = await house.samples();
  const thresholds = samples.all('proxywatch_alert_threshold').filter(({ labels }) => !('account' in labels));
  expect(Object.fromEntries(thresholds.map(({ labels, value }) => [labels.alert, value]))).toEqual({
    StoreFailing: 2,
    ReloadFailed: 1,
    NotificationsFailing: 900,
  });
});
