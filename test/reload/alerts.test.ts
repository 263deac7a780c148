// Reloads of alerts: thresholds take effect at once, in metrics and evaluation, and nothing is polled for them.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { accountOf, Daemon } from './support.ts';

it('another threshold, hold or severity polls nothing', async () => {
  await using receiver = await FakeReceiver.start();
  const alerts = (more: object) => ({
    receivers: [{ type: 'webhook', url: receiver.url }],
    ...more,
  });
  await using daemon = await Daemon.start((simulator) => ({
    alerts: alerts({}),
    accounts: [accountOf(simulator)],
  }));
  const asked = daemon.simulator.requests.count();
  const jobs = daemon.app.accounts.flatMap((account) => account.jobs);
  const series = 'proxywatch_alert_threshold{account="main",alert="DataStale"}';
  expect((await daemon.metrics()).get(series)).toBe(3);
  const reload = (section: object, own: object) =>
    daemon.reload({
      alerts: alerts(section),
      accounts: [accountOf(daemon.simulator, { alerts: own })],
    });
  expect(await reload({ DataStale: { threshold: 5 } }, {})).toMatchObject({
    changed: ['alerts'],
    needsRestart: [],
  });
  expect((await daemon.metrics()).get(series)).toBe(5);
  expect(await reload({ DataStale: { threshold: 5 } }, { DataStale: { threshold: 7 } })).toMatchObject({
    changed: ['main/alerts'],
  });
  expect((await daemon.metrics()).get(series)).toBe(7);
  await reload({}, { DataStale: { threshold: 7, for: '1h', severity: 'critical', enabled: false } });
  expect((await daemon.metrics()).has(series)).toBe(false);
  await reload({ NotificationsFailing: { threshold: '1h' } }, {});
  expect((await daemon.metrics()).get('proxywatch_alert_threshold{alert="NotificationsFailing"}')).toBe(
    3_600,
  );
  await daemon.app.runner.idle();
  expect(daemon.simulator.requests.count()).toBe(asked);
  expect(daemon.app.accounts.flatMap((account) => account.jobs)).toEqual(jobs);
});

it('keys that the provider rejects are told to a webhook, and so is their recovery', async () => {
  await using receiver = await FakeReceiver.start();
  await using daemon = await Daemon.start((simulator) => ({
    alerts: { receivers: [{ type: 'webhook', url: receiver.url, template: 'slack' }] },
    accounts: [accountOf(simulator)],
  }));
  const { faults } = daemon.simulator;
  const live = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await daemon.advance(MINUTE);
      daemon.app.alerting.tick();
      await daemon.app.alerting.idle();
    }
  };
  faults.add({ kind: 'status', status: 401 });
  await live(10);
  faults.clear();
  await live(10);
  const texts = receiver.taken.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  expect(texts.join('\n')).toContain('[critical] ProviderKeysRejected (main)');
  expect(texts.join('\n')).toContain('[resolved] ProviderKeysRejected (main)');
});
