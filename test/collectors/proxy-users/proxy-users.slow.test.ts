// Tests proxy users: their quotas, their selection for series, and their use over time.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../src/lib/time.ts';
import type { Harness } from '../../support/harness.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';
import { lastRun, poll, type Row, residentialUserRow, START, StubAccount, userRow } from '../stub-account.ts';

const INFO = 'proxywatch_proxy_user_info';
const LIMIT = 'proxywatch_proxy_user_limit_bytes';
const USED = 'proxywatch_proxy_user_used_bytes';
const LEFT = 'proxywatch_proxy_user_left_bytes';
const USAGE = 'proxywatch_proxy_user_usage_bytes_total';
const EXHAUSTION = 'proxywatch_proxy_user_exhaustion_timestamp_seconds';
const BY_QUOTA = 'proxywatch_proxy_users_by_quota';
const RESIDENTIAL = { product_type: 'residential' };

/** A user in each state except `soon`, which takes a day of history. */
const STATES = [
  residentialUserRow('exhausted', 100, 100),
  residentialUserRow('low', 100, 95),
  residentialUserRow('ok', 100, 50),
  residentialUserRow('overdrawn', 100, 130),
  residentialUserRow('unknown', 100, null),
  residentialUserRow('unlimited', null, 50),
  residentialUserRow('zero', 0, 50),
];

const shownUsers = async (harness: Harness): Promise<string[]> =>
  (await harness.samples()).all(INFO).map(({ labels }) => labels.proxy_user_id ?? '');

const stateCounts = async (harness: Harness): Promise<Record<string, number>> =>
  (await harness.samples()).by('state', BY_QUOTA, RESIDENTIAL);

describe('quotas', () => {
  it('are counted by state', async () => {
    await using account = await StubAccount.start();
    account.users = STATES;
    await using harness = await account.buildHarness('proxy_users');
    expect(await stateCounts(harness)).toEqual({ exhausted: 2, low: 1, ok: 1, soon: 0, unlimited: 1 });
    const mobile = (await harness.samples()).by('state', BY_QUOTA, { product_type: 'mobile' });
    expect(mobile).toEqual({ exhausted: 0, low: 0, ok: 0, soon: 0, unlimited: 7 });
  });

  it('of 0 are exhausted when configured so', async () => {
    await using account = await StubAccount.start();
    account.users = STATES;
    await using harness = await account.buildHarness('proxy_users', { zero_limit: 'exhausted' });
    expect((await stateCounts(harness)).exhausted).toBe(3);
    expect((await harness.samples()).value(LEFT, { proxy_user_id: 'zero' })).toBe(0);
  });

  it('leave out values that were not given, and the bytes left if there is no limit', async () => {
    await using account = await StubAccount.start();
    account.users = STATES;
    await using harness = await account.buildHarness('proxy_users');
    const samples = await harness.samples();
    const residential = (name: string) => samples.by('proxy_user_id', name, RESIDENTIAL);
    expect(residential(LIMIT)).toEqual({
      ...{ exhausted: 100, low: 100, ok: 100, overdrawn: 100, unknown: 100, zero: 0 },
    });
    expect(residential(LEFT)).toEqual({ exhausted: 0, low: 5, ok: 50, overdrawn: 0 });
    expect(residential(USED)).not.toHaveProperty('unknown');
    expect(residential(USAGE)).not.toHaveProperty('unknown');
    expect(residential(USED)).toMatchObject({ unlimited: 50, zero: 50, overdrawn: 130 });
    expect(samples.all(EXHAUSTION)).toEqual([]);
  });

  const without = (row: Row, field: string): Row =>
    Object.fromEntries(Object.entries(row).filter(([name]) => name !== field));

  it('keep a use that is missing once, leave it out after the second time, and count on when it is back', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('a', 100, 40)];
    await using harness = await account.buildHarness('proxy_users');
    const shown = async () => {
      const samples = await harness.samples();
      return [USED, LEFT, USAGE].map((name) => samples.value(name, RESIDENTIAL));
    };
    account.users = [residentialUserRow('a', 100, 50)];
    await poll(harness);
    expect(await shown()).toEqual([50, 50, 10]);
    account.users = [residentialUserRow('a', 100, null)];
    await poll(harness);
    expect(await shown()).toEqual([50, 50, 10]);
    await poll(harness);
    expect(await shown()).toEqual([undefined, undefined, undefined]);
    await poll(harness);
    await harness.restart();
    expect(await shown()).toEqual([undefined, undefined, undefined]);
    account.users = [residentialUserRow('a', 100, 65)];
    await poll(harness);
    expect(await shown()).toEqual([65, 35, 25]);
  });

  it('keep a limit whose key is missing once, although null means no limit at once', async () => {
    await using account = await StubAccount.start();
    const user = residentialUserRow('a', 100, 40);
    account.users = [user];
    await using harness = await account.buildHarness('proxy_users');
    const limit = async () => (await harness.samples()).value(LIMIT, RESIDENTIAL);
    account.users = [without(user, 'proxy_user_residential_bytes_limit')];
    await poll(harness);
    expect([await limit(), (await stateCounts(harness)).unlimited]).toEqual([100, 0]);
    account.users = [user];
    await poll(harness);
    account.users = [without(user, 'proxy_user_residential_bytes_limit')];
    await poll(harness);
    expect(await limit()).toBe(100);
    await poll(harness);
    expect([await limit(), (await stateCounts(harness)).unlimited]).toEqual([undefined, 1]);
    account.users = [user];
    await poll(harness);
    expect(await limit()).toBe(100);
    account.users = [residentialUserRow('a', null, 40)];
    await poll(harness);
    expect([await limit(), (await stateCounts(harness)).unlimited]).toEqual([undefined, 1]);
  });

  it('do not count a missing use in a listing whose rows moved', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('a', 100, 40)];
    await using harness = await account.buildHarness('proxy_users');
    account.users = [residentialUserRow('a', 100, null)];
    account.totalCountOf = () => 7;
    await poll(harness);
    await poll(harness);
    account.totalCountOf = (rows) => rows.length;
    await poll(harness);
    expect((await harness.samples()).value(USED, RESIDENTIAL)).toBe(40);
    await poll(harness);
    expect((await harness.samples()).value(USED, RESIDENTIAL)).toBeUndefined();
  });

  it('have no counts before a complete listing', async () => {
    await using account = await StubAccount.start();
    account.users = Array.from({ length: 150 }, (_, index) => residentialUserRow(`user-${index}`, 100, 0));
    account.failsAt = (page) => page > 1;
    await using harness = await account.buildHarness('proxy_users');
    expect(await stateCounts(harness)).toEqual({});
    expect((await harness.samples()).all('proxywatch_proxy_users')).toEqual([]);
    account.failsAt = () => false;
    await poll(harness);
    expect((await stateCounts(harness)).ok).toBe(150);
  });
});

describe('users', () => {
  it('show their setup, and are counted by it', async () => {
    await using account = await StubAccount.start();
    account.users = [
      userRow('a', { proxy_user_is_default: true, proxy_user_enforce_https: true }),
      userRow('b', {
        proxy_user_access_type: 'service_restricted',
        proxy_user_is_deleted: true,
        proxy_user_is_strict_security: true,
      }),
    ];
    await using harness = await account.buildHarness('proxy_users', { select: { include_deleted: true } });
    const samples = await harness.samples();
    const off = {
      is_default: 'false',
      is_deleted: 'false',
      strict_security: 'false',
      enforce_https: 'false',
    };
    expect(samples.all(INFO).map(({ labels }) => labels)).toEqual([
      {
        ...off,
        ...{ account: 'main', proxy_user_id: 'a', access_type: 'all' },
        ...{ is_default: 'true', enforce_https: 'true' },
      },
      {
        ...off,
        ...{ account: 'main', proxy_user_id: 'b', access_type: 'service_restricted' },
        ...{ is_deleted: 'true', strict_security: 'true' },
      },
    ]);
    expect(samples.by('access_type', 'proxywatch_proxy_users', { is_deleted: 'false' })).toEqual({ all: 1 });
    expect(samples.by('access_type', 'proxywatch_proxy_users', { is_deleted: 'true' })).toEqual({
      service_restricted: 1,
    });
  });

  it('expose and store no passwords', async () => {
    await using account = await StubAccount.start();
    account.users = STATES;
    await using harness = await account.buildHarness('proxy_users');
    expect(await harness.metricsText()).not.toContain('hunter2');
    await harness.stop();
    expect(readFileSync(join(harness.folder, 'proxywatch.db'), 'latin1')).not.toContain('hunter2');
  });

  it('that are deleted are counted, and have no series unless configured', async () => {
    await using account = await StubAccount.start();
    account.users = [
      residentialUserRow('here', 100, 0),
      residentialUserRow('gone', 100, 100, { proxy_user_is_deleted: true }),
    ];
    await using harness = await account.buildHarness('proxy_users');
    expect(await shownUsers(harness)).toEqual(['here']);
    expect((await harness.samples()).by('is_deleted', 'proxywatch_proxy_users')).toEqual({
      true: 1,
      false: 1,
    });
    expect((await stateCounts(harness)).exhausted).toBe(0);
  });

  it('are removed after two complete listings without them', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('here', 100, 0), residentialUserRow('gone', 100, 0)];
    await using harness = await account.buildHarness('proxy_users');
    account.users = account.users.slice(0, 1);
    account.totalCountOf = () => 7;
    await poll(harness);
    await poll(harness);
    account.totalCountOf = (rows) => rows.length;
    await poll(harness);
    expect(await shownUsers(harness)).toEqual(['gone', 'here']);
    await poll(harness);
    expect(await shownUsers(harness)).toEqual(['here']);
    expect((await stateCounts(harness)).ok).toBe(1);
  });

  it('are reported in the log once, when a listing without any follows one with some', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('u', null, 100)];
    const lines: LogLine[] = [];
    await using harness = await account.buildHarness('proxy_users', {}, { log: recordingLog(lines) });
    account.users = [];
    for (let run = 0; run < 3; run += 1) await poll(harness);
    const warnings = lines.filter(({ message }) => message.includes('this list is empty'));
    expect(warnings.map(({ fields }) => fields)).toEqual([expect.objectContaining({ items_before: 1 })]);
  });

  it('that do not decode are not removed', async () => {
    await using account = await StubAccount.start();
    const even = residentialUserRow('even', 100, 0);
    account.users = [even, residentialUserRow('odd', 100, 10)];
    await using harness = await account.buildHarness('proxy_users');
    account.users = [even, residentialUserRow('odd', 100, 20, { proxy_user_mobile_bytes_used: 'many' })];
    for (const _ of Array(3)) await poll(harness);
    expect((await harness.samples()).by('proxy_user_id', USED, RESIDENTIAL)).toEqual({ even: 0, odd: 10 });
    expect((await harness.samples()).value('proxywatch_items_skipped_total')).toBe(3);
  });

  it('of another customer are not mixed in', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('alice', 100, 10)];
    await using harness = await account.buildHarness('proxy_users');
    account.users = [residentialUserRow('mallory', 100, 10, { customer_id: 815 })];
    await poll(harness);
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'auth' });
    expect(await shownUsers(harness)).toEqual(['alice']);
  });
});

describe('users with series of their own', () => {
  const users = [
    ...['a', 'b', 'c', 'd'].map((id, index) => residentialUserRow(id, 10_000, index * 100)),
    residentialUserRow('deleted', 10_000, 9_000, { proxy_user_is_deleted: true }),
    residentialUserRow('low', 100, 95),
  ];
  const selected = async (options: Row): Promise<string[]> => {
    await using account = await StubAccount.start();
    account.users = users;
    await using harness = await account.buildHarness('proxy_users', options);
    return shownUsers(harness);
  };

  it.each([
    ['all', {}, ['a', 'b', 'c', 'd', 'low']],
    ['those named, and those with a quota problem', { ids: ['b', 'nobody'] }, ['b', 'low']],
    ['the top, and those with a quota problem', { top: 2 }, ['c', 'd', 'low']],
    ['the top and those named', { top: 1, ids: ['a'] }, ['a', 'd', 'low']],
    ['the top of all, including deleted ones', { top: 1, include_deleted: true }, ['deleted', 'low']],
    ['a longer top without those that used nothing', { top: 10 }, ['b', 'c', 'd', 'low']],
  ])('are %s', async (_, select, expected) => {
    expect(await selected({ select })).toEqual(expected);
  });

  it('are no more than the cap and those with a quota problem, and the others are counted', async () => {
    await using account = await StubAccount.start();
    account.users = users;
    await using harness = await account.buildHarness('proxy_users', { max_series_users: 3 });
    expect(await shownUsers(harness)).toEqual(['a', 'b', 'c', 'low']);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_series_dropped', { collector: 'proxy_users' })).toBe(1);
    expect(await stateCounts(harness)).toMatchObject({ ok: 4, low: 1 });
  });
});

describe('usage', () => {
  it('grows with use over resets, and withholds corrections', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('alice', null, 1_000)];
    await using harness = await account.buildHarness('proxy_users');
    const usageAt = async (used: number | null): Promise<number | undefined> => {
      account.users = [residentialUserRow('alice', null, used)];
      await poll(harness);
      return (await harness.samples()).value(USAGE, RESIDENTIAL);
    };
    expect(await usageAt(1_400)).toBe(400);
    expect(await usageAt(null)).toBe(400);
    expect(await usageAt(1_300)).toBe(400);
    expect(await usageAt(1_350)).toBe(400);
    expect(await usageAt(1_500)).toBe(500);
    expect(await usageAt(20)).toBe(500);
    expect(await usageAt(20)).toBe(520);
    expect(await usageAt(70)).toBe(570);
  });

  it('does not count a wrong answer of zeros, which leaves the bytes left unchanged', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('alice', 1_200, 1_000)];
    await using harness = await account.buildHarness('proxy_users');
    const shown: (number | undefined)[][] = [];
    for (const used of [1_100, 0, 1_150, 0, 0, 0, 1_200]) {
      account.users = [residentialUserRow('alice', 1_200, used)];
      await poll(harness);
      const samples = await harness.samples();
      shown.push([USED, LEFT, USAGE].map((name) => samples.value(name, RESIDENTIAL)));
    }
    expect(shown).toEqual([
      [1_100, 100, 100],
      [1_100, 100, 100],
      [1_150, 50, 150],
      [1_150, 50, 150],
      [0, 1_200, 150],
      [0, 1_200, 150],
      [1_200, 0, 200],
    ]);
    expect((await stateCounts(harness)).exhausted).toBe(1);
  });

  it('of a user that appears later counts completely', async () => {
    await using account = await StubAccount.start();
    account.users = [residentialUserRow('alice', null, 1_000)];
    await using harness = await account.buildHarness('proxy_users');
    account.users.push(residentialUserRow('bob', null, 30));
    await poll(harness);
    expect((await harness.samples()).by('proxy_user_id', USAGE, RESIDENTIAL)).toEqual({ alice: 0, bob: 30 });
  });
});

describe('the forecast of exhaustion', () => {
  it('appears after a day of history, is about right, and disappears when use stops', async () => {
    await using account = await StubAccount.start();
    const perHour = 1_000_000;
    const limit = 200 * perHour;
    await using harness = await account.buildHarness('proxy_users');
    const use = async (hours: number, usedAt: (hour: number) => number): Promise<void> => {
      for (let hour = 1; hour <= hours; hour += 1) {
        account.users = [
          residentialUserRow('alice', limit, usedAt(hour)),
          residentialUserRow('idle', limit, 5),
        ];
        await poll(harness);
      }
    };
    await use(24, (hour) => hour * perHour);
    expect((await harness.samples()).all(EXHAUSTION)).toEqual([]);
    await use(2, (hour) => (24 + hour) * perHour);
    const forecast = (await harness.samples()).all(EXHAUSTION);
    expect(forecast.map(({ labels }) => labels.proxy_user_id)).toEqual(['alice']);
    const hoursAhead = ((forecast[0]?.value ?? Number.NaN) - harness.clock.now() / SECOND) / 3_600;
    expect(hoursAhead).toBeGreaterThan(160);
    expect(hoursAhead).toBeLessThan(190);
    expect((await stateCounts(harness)).soon).toBe(0);

    await use(24, (hour) => (26 + 3 * hour) * perHour);
    expect((await stateCounts(harness)).soon).toBe(1);
    const usedSoFar = 98 * perHour;
    await use(1, () => usedSoFar);
    await harness.advance(1.4 * DAY);
    await harness.advance(3 * HOUR);
    expect((await harness.samples()).all(EXHAUSTION)).toEqual([]);
    expect((await stateCounts(harness)).soon).toBe(0);
  });

  it('does not move while polls fail', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('proxy_users');
    for (let hour = 1; hour <= 26; hour += 1) {
      account.users = [residentialUserRow('alice', 1_000, 10 * hour)];
      await poll(harness);
    }
    const before = (await harness.samples()).value(EXHAUSTION);
    expect(before).toBeGreaterThan(Date.parse(START) / SECOND);
    account.failsAt = () => true;
    await harness.advance(3 * DAY);
    expect((await harness.samples()).value(EXHAUSTION)).toBe(before);
  });
});
