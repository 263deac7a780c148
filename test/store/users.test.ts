// Tests proxy users: their usage, and when users are removed.

import { describe, expect, it } from 'vitest';
import { forecastExhaustion } from '../../src/lib/forecast.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { HOLD_MS, NO_USER_DETAILS, START, TestStore } from './support.ts';
import { poll, usageOf, user } from './user-support.ts';

const idsOf = async (test: TestStore): Promise<string[]> =>
  (await test.store.users.page('main', '', 100)).map(({ id }) => id);

describe('usage', () => {
  it('is first held at 0, for each user from its first observation', async () => {
    using test = new TestStore();
    await poll(test, [user('a', 5)], START);
    await poll(test, [user('a', 9), user('b', 7)], START + HOLD_MS);
    expect(await usageOf(test, 'a')).toEqual({ value: 4, withheld: 0 });
    expect(await usageOf(test, 'b')).toEqual({ value: 0, withheld: -7 });
    await poll(test, [user('a', 9), user('b', 7)], START + 2 * HOLD_MS);
    expect(await usageOf(test, 'b')).toEqual({ value: 7, withheld: 0 });
  });

  it('does not count an observation twice, within a page or after a page that failed', async () => {
    using test = new TestStore();
    await poll(test, [user('a', 5)], START);
    const { users } = test.store;
    await expect(users.savePage('main', [user('a', 50), user('b', 0.5)], START)).rejects.toThrow(
      'SQLite reported an unexpected error',
    );
    await users.savePage('main', [user('a', 50), user('a', 50)], START + HOLD_MS);
    expect(await usageOf(test, 'a')).toEqual({ value: 45, withheld: 0 });
  });

  it('gives forecasts that a restart does not change', async () => {
    using test = new TestStore();
    const exhaustionOf = async () => {
      const [found] = await test.store.users.page('main', '', 1);
      const { completeAt } = await test.store.users.listing('main');
      return found && forecastExhaustion(found.quotas.residential.rates, 1e6, completeAt ?? 0);
    };
    const hours = 30;
    for (let hour = 0; hour <= hours; hour += 1)
      await poll(test, [user('a', hour * 1_000)], START + hour * 60 * MINUTE);
    const before = await exhaustionOf();
    expect(before).toBeDefined();
    expect(((before ?? 0) - START) / MINUTE / 60 - hours).toBeCloseTo(1_000, 0);
    test.restart();
    expect(await exhaustionOf()).toBe(before);
  });
});

describe('a user', () => {
  it('is removed after two complete listings without it, and returns when it is observed again', async () => {
    using test = new TestStore();
    const [a, b] = [user('a', 1), user('b', 2)];
    await poll(test, [a, b], START);
    await poll(test, [a], START + 1);
    expect(await idsOf(test)).toEqual(['a', 'b']);
    await poll(test, [a], START + 2);
    expect(await idsOf(test)).toEqual(['a']);
    await poll(test, [a], START + 3);
    expect(await idsOf(test)).toEqual(['a']);
    await poll(test, [a, b], START + 4);
    expect(await idsOf(test)).toEqual(['a', 'b']);
    await poll(test, [a], START + 5);
    expect(await idsOf(test)).toEqual(['a', 'b']);
  });

  it('is not removed when a listing between two listings without it had it', async () => {
    using test = new TestStore();
    const [a, b] = [user('a', 1), user('b', 2)];
    await poll(test, [a, b], START);
    for (const users of [[a], [a, b], [a], [a, b]]) await poll(test, users, START);
    expect(await idsOf(test)).toEqual(['a', 'b']);
  });

  it('that was listed but did not decode is not removed', async () => {
    using test = new TestStore();
    await poll(test, [user('a', 1)], START);
    for (const now of [1, 2, 3]) await test.store.users.completeListing('main', new Set(['a']), now, now);
    expect(await idsOf(test)).toEqual(['a']);
  });

  it('is not removed by incomplete listings, or by listings of another account', async () => {
    using test = new TestStore();
    await poll(test, [user('a', 1)], START);
    await test.store.users.savePage('main', [user('b', 1)], START);
    for (const now of [1, 2, 3]) await test.store.users.completeListing('another', new Set(), now, now);
    expect(await idsOf(test)).toEqual(['a', 'b']);
  });

  it('is stored as last observed, and keeps its use when none is given', async () => {
    using test = new TestStore();
    await poll(test, [user('a', 5)], START);
    const changed = {
      ...user('a', null, null),
      accessType: 'selected',
      isDeleted: true,
      strictSecurity: true,
    };
    await poll(test, [changed], START + 1);
    const [found] = await test.store.users.page('main', '', 10);
    const { quotas, details: _, ...flags } = changed;
    expect(found).toMatchObject(flags);
    expect(found?.quotas.residential).toMatchObject({ limitBytes: null, usedBytes: 5 });
    expect(found?.quotas.mobile).toMatchObject(quotas.mobile);
  });
});

it('pages are ordered by id and hold up to the limit', async () => {
  using test = new TestStore();
  const users = ['c', 'a', 'b'].map((id) => user(id, 1));
  await poll(test, users, START);
  const pageOf = async (...query: Parameters<typeof test.store.users.page>): Promise<string[]> =>
    (await test.store.users.page(...query)).map(({ id }) => id);
  expect(await pageOf('main', '', 2)).toEqual(['a', 'b']);
  expect(await pageOf('main', 'b', 2)).toEqual(['c']);
  expect(await pageOf('main', 'a', 2, 'b')).toEqual(['b']);
  expect(await pageOf('main', '', 1, 'b')).toEqual(['a']);
  expect(await pageOf('unknown', '', 2)).toEqual([]);
});

it('a user is found by its id until it is removed', async () => {
  using test = new TestStore();
  await poll(test, [user('a', 7), user('b', 1)], START);
  const { find, findAll } = test.store.users;
  expect((await findAll('main', ['b', 'c', 'a'])).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(await findAll('another', ['a'])).toEqual([]);
  expect((await find('main', 'a'))?.quotas.residential.usedBytes).toBe(7);
  expect(await find('main', 'c')).toBeUndefined();
  expect(await find('another', 'a')).toBeUndefined();
  await poll(test, [user('b', 1)], START + MINUTE);
  await poll(test, [user('b', 1)], START + 2 * MINUTE);
  expect(await find('main', 'a')).toBeUndefined();
  expect(await findAll('main', ['a'])).toEqual([]);
});

it('a listing has the times when it was first and last complete, and when a page was last stored', async () => {
  using test = new TestStore();
  const { users } = test.store;
  const never = {
    ...{ beganAt: null, baselinedAt: null, completeStartedAt: null, completeAt: null },
    ...{ countedStartedAt: null, countedAt: null, undecodedRows: 0, storedAt: null },
  };
  expect(await users.listing('main')).toEqual(never);
  await users.savePage('main', [user('a', 1)], 10);
  expect(await users.listing('main')).toEqual({ ...never, beganAt: 10, storedAt: 10 });
  await users.countListing('main', 10, 11);
  const counted = { countedStartedAt: 10, countedAt: 11 };
  expect(await users.listing('main')).toEqual({ ...never, ...counted, beganAt: 10, storedAt: 10 });
  await users.completeListing('main', new Set(['a']), 8, 12);
  await users.completeListing('main', new Set(['a']), 20, 21);
  expect(await users.listing('main')).toEqual({
    ...{ beganAt: 10, countedStartedAt: 20, countedAt: 21 },
    baselinedAt: 8,
    completeStartedAt: 20,
    completeAt: 21,
    storedAt: 20,
    undecodedRows: 0,
  });
});

it('shows 0 after a run that took longer than the hold', async () => {
  using test = new TestStore();
  await poll(test, [], START);
  const startedAt = START + DAY;
  await test.store.users.savePage('main', [user('first', 500)], startedAt, startedAt);
  await test.store.users.savePage('main', [user('last', 500)], startedAt + 2 * HOLD_MS, startedAt);
  await test.store.users.completeListing(
    'main',
    new Set(['first', 'last']),
    startedAt,
    startedAt + 2 * HOLD_MS,
  );
  expect((await usageOf(test, 'first'))?.value).toBe(0);
  await poll(test, [user('first', 500), user('last', 500)], startedAt + 4 * HOLD_MS);
  expect((await usageOf(test, 'first'))?.value).toBe(500);
});

describe('details', () => {
  const DETAILS = {
    createdAt: '2026-02-01 10:00:00',
    updatedAt: '2026-02-02 11:00:00',
    addressLimit: 5,
    addresses: 2,
    restrictedProxies: 3,
    restrictedServices: 0,
  };

  it('are as last answered, whatever else about the user changed', async () => {
    using test = new TestStore();
    const { users } = test.store;
    await poll(test, [{ ...user('detailed', 1), details: DETAILS }, user('plain', 1)], START);
    expect(await users.details('main', ['detailed', 'plain', 'unknown'])).toEqual(
      new Map([
        ['detailed', DETAILS],
        ['plain', NO_USER_DETAILS],
      ]),
    );
    await poll(test, [{ ...user('detailed', 2), details: DETAILS }], START + MINUTE);
    expect(await users.details('main', ['detailed'])).toEqual(new Map([['detailed', DETAILS]]));
    const changed = { ...DETAILS, addresses: 0, updatedAt: null };
    await poll(test, [{ ...user('detailed', 2), details: changed }], START + 2 * MINUTE);
    test.restart();
    expect(await test.store.users.details('main', ['detailed'])).toEqual(new Map([['detailed', changed]]));
    expect(await test.store.users.details('other', ['detailed'])).toEqual(new Map());
  });
});
