// Tests when the alerts about proxy users have findings.

import { describe, expect, it } from 'vitest';
import { PROXY_USER_ALERTS } from '../../src/alerts/table/proxy-users.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { poll, residentialUserRow, StubAccount, userRow } from '../collectors/stub-account.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { findingLabels, findingsOf } from '../support/findings.ts';
import { AlertRig } from './alert-rig.ts';
import { hookOf } from './group-support.ts';

const labels = (proxy_user_id: string, product_type = 'residential') => ({ proxy_user_id, product_type });

describe('ProxyUserQuotaExhausted and ProxyUserQuotaLow', () => {
  it('agree with the states and the metric on the first step, to the byte', async () => {
    await using account = await StubAccount.start();
    // The product of 0.07 and 100 is a little more than 7, so it must not be compared with the bytes that are left.
    account.users = [residentialUserRow('at', 100, 93), residentialUserRow('beyond', 100, 94)];
    await using harness = await account.buildHarness('proxy_users');
    await harness.restart({ alerts: { ProxyUserQuotaLow: { steps: [0.93, 0.97, 1] } } });
    expect(await findingLabels(harness, 'ProxyUserQuotaLow')).toEqual([labels('beyond')]);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_proxy_users_by_quota', labelsOf('low'))).toBe(1);
    expect(samples.value('proxywatch_alert_threshold', { alert: 'ProxyUserQuotaLow' })).toBe(0.07);
  });

  it('are found for users with a limit, whether they have series or not', async () => {
    await using account = await StubAccount.start();
    account.users = [
      residentialUserRow('over', 100, 120),
      residentialUserRow('low', 100, 95),
      residentialUserRow('well', 100, 90),
      residentialUserRow('zero', 0, 5),
      residentialUserRow('unlimited', null, 5),
      residentialUserRow('unknown', 100, null),
      residentialUserRow('gone', 100, 120, { proxy_user_is_deleted: true }),
      userRow('mobile', { proxy_user_mobile_bytes_limit: 10, proxy_user_mobile_bytes_used: 10 }),
    ];
    await using harness = await account.buildHarness('proxy_users', {
      select: { ids: ['well'], include_deleted: true },
    });
    expect(await findingLabels(harness, 'ProxyUserQuotaExhausted')).toEqual([
      labels('mobile', 'mobile'),
      labels('over'),
    ]);
    expect(await findingsOf(harness, 'ProxyUserQuotaLow')).toEqual([{ labels: labels('low'), value: 0.05 }]);
    account.users = [residentialUserRow('over', 1_000, 120), residentialUserRow('low', 100, 0)];
    await poll(harness);
    await poll(harness);
    expect(await findingLabels(harness, 'ProxyUserQuotaExhausted')).toEqual([]);
    expect(await findingLabels(harness, 'ProxyUserQuotaLow')).toEqual([]);
  });

  it('are found for a limit of 0 if zero_limit is exhausted', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('zero', 0, 5)];
    await using harness = await account.buildHarness('proxy_users', { zero_limit: 'exhausted' });
    expect(await findingLabels(harness, 'ProxyUserQuotaExhausted')).toEqual([labels('zero')]);
    expect(await findingLabels(harness, 'ProxyUserQuotaLow')).toEqual([]);
  });

  it('use their thresholds, as do the states that are shown', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('half', 100, 60)];
    await using harness = await account.buildHarness('proxy_users');
    const lowUsers = async () =>
      (await harness.samples()).value('proxywatch_proxy_users_by_quota', { ...labelsOf('low') });
    expect(await lowUsers()).toBe(0);
    await harness.restart({ alerts: { ProxyUserQuotaLow: { threshold: 0.5 } } });
    expect(await findingLabels(harness, 'ProxyUserQuotaLow')).toEqual([labels('half')]);
    expect(await lowUsers()).toBe(1);
    await harness.restart({ alerts: { ProxyUserQuotaLow: { enabled: false } } });
    expect(await findingLabels(harness, 'ProxyUserQuotaLow')).toEqual([]);
    expect(await lowUsers()).toBe(0);
  });
});

const labelsOf = (state: string) => ({ product_type: 'residential', state });

describe('ProxyUserQuotaExhaustionSoon', () => {
  it('is found for a user that will be out of bytes within three days, and ends with a higher limit', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('proxy_users');
    let used = 0;
    const use = async (limit: number, hours: number): Promise<void> => {
      for (let hour = 0; hour < hours; hour += 1) {
        used += 1_000;
        account.users = [
          residentialUserRow('busy', limit, used),
          residentialUserRow('deleted', limit, used, { proxy_user_is_deleted: true }),
        ];
        await poll(harness);
      }
    };
    await use(90_000, 22);
    expect(await findingLabels(harness, 'ProxyUserQuotaExhaustionSoon')).toEqual([]);
    await use(90_000, 6);
    const [finding] = await findingsOf(harness, 'ProxyUserQuotaExhaustionSoon');
    expect(finding?.labels).toEqual(labels('busy'));
    expect((finding?.value ?? 0) / (HOUR / 1_000)).toBeCloseTo(62, -1);
    await use(900_000, 1);
    expect(await findingLabels(harness, 'ProxyUserQuotaExhaustionSoon')).toEqual([]);
  });
});

describe('the alerts about one quota', () => {
  it('fire one at a time, the worst first, and a notification about a change reads well', async () => {
    await using receiver = await FakeReceiver.start();
    const values = new Map([['ProxyUserQuotaExhaustionSoon', 200_000]]);
    const alerts = PROXY_USER_ALERTS.filter((alert) => alert.scope === 'account').map((alert) => ({
      ...alert,
      async *find() {
        const value = values.get(alert.name);
        if (value !== undefined) yield { labels: labels('anna'), value };
      },
    }));
    const chat = hookOf(receiver, { template: 'slack', group_by: ['account'], group_wait: '0s' });
    await using rig = await AlertRig.start(alerts, { receivers: [chat] });
    const firing: string[][] = [];
    const observe = async (): Promise<void> => {
      await rig.run('proxy_users');
      await rig.pass(5 * MINUTE);
      firing.push(rig.firing.map((name) => name.split(' ')[0] ?? ''));
    };
    await rig.run('proxy_users');
    await rig.pass(HOUR);
    await observe();
    values.set('ProxyUserQuotaLow', 0.098);
    await observe();
    values.delete('ProxyUserQuotaLow');
    values.set('ProxyUserQuotaExhausted', 0);
    await observe();
    values.clear();
    await observe();
    expect(firing).toEqual([
      ['ProxyUserQuotaExhaustionSoon'],
      ['ProxyUserQuotaLow'],
      ['ProxyUserQuotaExhausted'],
      [],
    ]);
    const texts = receiver.accepted.map(({ body }) => JSON.parse(body).text.split('\n\n')[0]);
    expect(texts).toMatchInlineSnapshot(`
      [
        "[warning] proxywatch, account main: 1 firing
      ProxyUserQuotaExhaustionSoon: Proxy user anna of account main will use up its residential quota in 2d 7h.",
        "[warning] proxywatch, account main: 1 firing, 1 resolved
      ProxyUserQuotaLow: Proxy user anna of account main has 9.8% of its residential quota left.
      [resolved] ProxyUserQuotaExhaustionSoon: until 13:05 UTC: Proxy user anna of account main will use up its residential quota in 2d 7h.",
        "[warning] proxywatch, account main: 1 firing, 1 resolved
      ProxyUserQuotaExhausted: Proxy user anna of account main has used up its residential quota.
      [resolved] ProxyUserQuotaLow: until 13:10 UTC: Proxy user anna of account main has 9.8% of its residential quota left.",
        "[resolved] proxywatch, account main: 1 resolved
      ProxyUserQuotaExhausted: until 13:15 UTC: Proxy user anna of account main has used up its residential quota.",
      ]
    `);
  });
});
