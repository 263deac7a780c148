// Tests reloads of alerts: thresholds take effect at once in metrics and evaluation, without a poll.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { accountOf, Daemon } from './support.ts';

it('a new threshold, hold or severity causes no poll', async () => {
  await using receiver = await FakeReceiver.start();
  const alerts = (more: object) => ({
    receivers: [{ type: 'webhook', url: receiver.url }],
    ...more,
  });
  await using daemon = await Daemon.start((simulator) => ({
    alerts: alerts({}),
    accounts: [accountOf(simulator)],
  }));
  const requestsBefore = daemon.simulator.requests.count();
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
  expect(daemon.simulator.requests.count()).toBe(requestsBefore);
  expect(daemon.app.accounts.flatMap((account) => account.jobs)).toEqual(jobs);
});

it('the first receiver is notified about stored data without another poll', async () => {
  await using receiver = await FakeReceiver.start();
  await using daemon = await Daemon.start((simulator) => ({ accounts: [accountOf(simulator)] }));
  const requestsBefore = daemon.simulator.requests.count();
  await daemon.reload({
    alerts: {
      receivers: [{ type: 'webhook', url: receiver.url, template: 'slack', ...UNGROUPED }],
      ResidentialBalanceLow: { threshold: 1 },
    },
    accounts: [accountOf(daemon.simulator)],
  });
  daemon.app.alerting.tick();
  await daemon.app.alerting.idle();
  expect(receiver.accepted.map(({ body }) => body).join()).toContain('ResidentialBalanceLow');
  expect(daemon.simulator.requests.count()).toBe(requestsBefore);
});

it('a webhook is notified when the provider rejects the keys, and when it accepts them again', async () => {
  await using receiver = await FakeReceiver.start();
  await using daemon = await Daemon.start((simulator) => ({
    alerts: { receivers: [{ type: 'webhook', url: receiver.url, template: 'slack', ...UNGROUPED }] },
    accounts: [accountOf(simulator)],
  }));
  const { faults } = daemon.simulator;
  const advanceMinutes = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await daemon.advance(MINUTE);
      daemon.app.alerting.tick();
      await daemon.app.alerting.idle();
    }
  };
  faults.add({ kind: 'status', status: 401 });
  await advanceMinutes(10);
  faults.clear();
  await advanceMinutes(10);
  const texts = receiver.accepted.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  const about = texts.filter((text) => text.includes('The provider rejects the API keys of account main'));
  expect(about.map((text) => /^\[\w+\]/.exec(text)?.[0])).toEqual(['[critical]', '[resolved]']);
});

it('new addresses of links take effect at once', async () => {
  await using receiver = await FakeReceiver.start();
  const sections = (docsUrl: string, externalUrl: string, allowedHosts: string[] = []) => ({
    server: { external_url: externalUrl, allowed_hosts: allowedHosts },
    alerts: { docs_url: docsUrl, receivers: [{ type: 'alertmanager', urls: [receiver.url] }] },
  });
  await using daemon = await Daemon.start((simulator) => ({
    ...sections('https://docs.example', 'https://one.example/'),
    accounts: [accountOf(simulator)],
  }));
  const accounts = [accountOf(daemon.simulator)];
  const reload = (...settings: Parameters<typeof sections>) =>
    daemon.reload({ ...sections(...settings), accounts });
  expect(await reload('https://docs.example', 'https://two.example/')).toMatchObject({
    changed: ['server.external_url'],
    needsRestart: [],
  });
  expect(await reload('https://other.example', 'https://two.example/')).toMatchObject({
    changed: ['alerts'],
  });
  expect(await reload('https://other.example', 'https://two.example/', ['proxy.example'])).toMatchObject({
    changed: ['server.allowed_hosts'],
    needsRestart: [],
  });
  daemon.simulator.faults.add({ kind: 'status', status: 401 });
  for (let minute = 0; minute < 10; minute += 1) {
    await daemon.advance(MINUTE);
    daemon.app.alerting.tick();
    await daemon.app.alerting.idle();
  }
  const [newest] = receiver.accepted.slice(-1).flatMap(({ body }) => JSON.parse(body));
  expect(newest.annotations).toMatchObject({
    runbook_url: 'https://other.example/alerts.html#providerkeysrejected',
    status_page_url: 'https://two.example/?account=main#collectors',
  });
});

it('new maintenance windows take effect at once, and end with a reload that removes them', async () => {
  const alerts = (more: object) => ({ alerts: { evaluate: true, ...more } });
  await using daemon = await Daemon.start((simulator) => ({
    ...alerts({}),
    accounts: [accountOf(simulator)],
  }));
  const accounts = [accountOf(daemon.simulator)];
  const { mutes } = daemon.app.alerting;
  const alert = {
    ...{ account: 'main', alert: 'DataStale', labels: {}, severity: 'warning', value: 1 },
    ...{ step: 0, since: 0, firingSince: 0, absentSince: null, skippedMs: 0, endedAt: null },
  };
  const mutedUntil = () => {
    const until = mutes.mutedUntil(alert, daemon.clock.now());
    return until && new Date(until).toISOString();
  };
  expect(mutedUntil()).toBe(undefined);
  // The daemon starts at 12:01 UTC.
  const maintenance = [{ name: 'weekly', days: ['mon'], hours: '14-15:30' }];
  expect(
    await daemon.reload({ ...alerts({ maintenance }), schedule_time_zone: 'Europe/Paris', accounts }),
  ).toMatchObject({ changed: expect.arrayContaining(['alerts']), needsRestart: [] });
  expect(mutedUntil()).toBe('2026-07-06T13:30:00.000Z');
  await daemon.reload({ ...alerts({ maintenance }), accounts });
  expect(mutedUntil()).toBe(undefined);
  await daemon.reload({ ...alerts({ maintenance: [{ name: 'always', hours: '00-24' }] }), accounts });
  expect(mutedUntil()).toBe('2026-08-06T12:01:30.000Z');
  await daemon.reload({ ...alerts({}), accounts });
  expect(mutedUntil()).toBe(undefined);
});
