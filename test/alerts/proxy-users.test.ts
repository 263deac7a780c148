// When alerts about proxy users find something in a daemon, and when not.

import { describe, expect, it } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { poll, StubAccount, userOf, userRow } from '../collectors/stub-account.ts';
import { findingsOf, foundBy } from '../support/findings.ts';

const labels = (proxy_user_id: string, product_type = 'residential') => ({ proxy_user_id, product_type });

describe('ProxyUserQuotaExhausted and ProxyUserQuotaLow', () => {
  it('are found of users with a limit, whether they have series or not', async () => {
    await using account = await StubAccount.start();
    account.users = [
      userOf('over', 100, 120),
      userOf('low', 100, 95),
      userOf('well', 100, 90),
      userOf('zero', 0, 5),
      userOf('unlimited', null, 5),
      userOf('unknown', 100, null),
      userOf('gone', 100, 120, { proxy_user_is_deleted: true }),
      userRow('mobile', { proxy_user_mobile_bytes_limit: 10, proxy_user_mobile_bytes_used: 10 }),
    ];
    await using harness = await account.watch('proxy_users', {
      select: { ids: ['well'], include_deleted: true },
    });
    expect(await foundBy(harness, 'ProxyUserQuotaExhausted')).toEqual([
      labels('mobile', 'mobile'),
      labels('over'),
    ]);
    expect(await findingsOf(harness, 'ProxyUserQuotaLow')).toEqual([{ labels: labels('low'), value: 0.05 }]);
    account.users = [userOf('over', 1_000, 120), userOf('low', 100, 0)];
    await poll(harness);
    await poll(harness);
    expect(await foundBy(harness, 'ProxyUserQuotaExhausted')).toEqual([]);
    expect(await foundBy(harness, 'ProxyUserQuotaLow')).toEqual([]);
  });

  it('are found of a limit of 0 where that is said to be exhausted', async () => {
    await using account = await StubAccount.start();
    account.users = [userOf('zero', 0, 5)];
    await using harness = await account.watch('proxy_users', { zero_limit: 'exhausted' });
    expect(await foundBy(harness, 'ProxyUserQuotaExhausted')).toEqual([labels('zero')]);
    expect(await foundBy(harness, 'ProxyUserQuotaLow')).toEqual([]);
  });

  it('go by their thresholds, as do the states that are shown', async () => {
    await using account = await StubAccount.start();
    account.users = [userOf('half', 100, 60)];
    await using harness = await account.watch('proxy_users');
    const lowUsers = async () =>
      (await harness.samples()).value('proxywatch_proxy_users_by_quota', { ...labelsOf('low') });
    expect(await lowUsers()).toBe(0);
    await harness.restart({ alerts: { ProxyUserQuotaLow: { threshold: 0.5 } } });
    expect(await foundBy(harness, 'ProxyUserQuotaLow')).toEqual([labels('half')]);
    expect(await lowUsers()).toBe(1);
    await harness.restart({ alerts: { ProxyUserQuotaLow: { enabled: false } } });
    expect(await foundBy(harness, 'ProxyUserQuotaLow')).toEqual([]);
    expect(await lowUsers()).toBe(0);
  });
});

const labelsOf = (state: string) => ({ product_type: 'residential', state });

describe('ProxyUserQuotaExhaustionSoon', () => {
  it('is found of who will be out of bytes within three days, and ends with a higher limit', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.watch('proxy_users');
    let used = 0;
    const use = async (limit: number, hours: number): Promise<void> => {
      for (let hour = 0; hour < hours; hour += 1) {
        used += 1_000;
        account.users = [
          userOf('busy', limit, used),
          userOf('deleted', limit, used, { proxy_user_is_deleted: true }),
        ];
        await poll(harness);
      }
    };
    await use(90_000, 22);
    expect(await foundBy(harness, 'ProxyUserQuotaExhaustionSoon')).toEqual([]);
    await use(90_000, 6);
    const [finding] = await findingsOf(harness, 'ProxyUserQuotaExhaustionSoon');
    expect(finding?.labels).toEqual(labels('busy'));
    expect((finding?.value ?? 0) / (HOUR / 1_000)).toBeCloseTo(62, -1);
    await use(900_000, 1);
    expect(await foundBy(harness, 'ProxyUserQuotaExhaustionSoon')).toEqual([]);
  });
});
