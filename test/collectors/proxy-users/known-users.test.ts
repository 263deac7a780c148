import { expect, it } from 'vitest';
import { KnownUsers } from '../../../src/collectors/proxy-users/known-users.ts';
import type { UserObservation } from '../../../src/store/user-store.ts';

const quota = { limitBytes: 1_000, usedBytes: 10 };
const details = {
  ...{ createdAt: '2026-07-01 10:00:00', updatedAt: null, addressLimit: 5, addresses: 0 },
  ...{ restrictedProxies: 0, restrictedServices: null },
};
const user: UserObservation = {
  ...{ id: 'user-1', accessType: 'all' },
  ...{ isDefault: false, isDeleted: false, strictSecurity: false, enforceHttps: false },
  ...{ quotas: { residential: quota, mobile: quota }, details },
};

const withDetails = (changed: object): UserObservation => ({ ...user, details: { ...details, ...changed } });
const withQuota = (changed: object): UserObservation => ({
  ...user,
  quotas: { ...user.quotas, mobile: { ...quota, ...changed } },
});

const knowing = (known: UserObservation): KnownUsers => {
  const users = new KnownUsers();
  users.stored([known], new Set([known.id]));
  return users;
};

it.each([
  ['another use', user, withQuota({ usedBytes: 11 })],
  ['no limit', user, withQuota({ limitBytes: null })],
  ['a limit that is not given', withQuota({ limitBytes: null }), withQuota({ limitBytes: undefined })],
  ['another setting', user, { ...user, isDeleted: true }],
  ['another type of access', user, { ...user, accessType: '' }],
  ['a time', withDetails({ updatedAt: null }), withDetails({ updatedAt: '' })],
  ['a number of 32 bits', withDetails({ addressLimit: null }), withDetails({ addressLimit: 2 ** 32 - 1 })],
  ['a larger number', withDetails({ addressLimit: 1 }), withDetails({ addressLimit: 1 + 2 ** 32 })],
  ['values in other fields', withDetails({ addresses: 5, addressLimit: 0 }), user],
])('sees a change: %s', (_, before, after) => {
  const users = knowing(before);
  expect(users.changedOf([before])).toEqual([]);
  expect(users.changedOf([after])).toEqual([after]);
});

it('keeps many users apart, and forgets those that a listing lacks or that are not settled', () => {
  const many = Array.from({ length: 300 }, (_, index) => ({
    ...user,
    id: `user-${index}`,
    quotas: { ...user.quotas, mobile: { limitBytes: index, usedBytes: index } },
  }));
  const users = new KnownUsers();
  users.stored(many, new Set(many.map(({ id }) => id)));
  expect(users.changedOf(many)).toEqual([]);
  users.keepOnly(new Set(many.slice(100).map(({ id }) => id)));
  expect(users.changedOf(many)).toEqual(many.slice(0, 100));
  users.stored(many.slice(50, 150), new Set(many.slice(75, 125).map(({ id }) => id)));
  expect(users.changedOf(many)).toEqual([...many.slice(0, 75), ...many.slice(125, 150)]);
});

it('gives the ids of users that may have changed, unless they are many or nobody took them before', () => {
  const many = Array.from({ length: 80 }, (_, index) => ({ ...user, id: `user-${index}` }));
  const ids = new Set(many.map(({ id }) => id));
  const users = new KnownUsers();
  users.stored(many, ids);
  expect(users.takeChanges()).toBeUndefined();
  users.stored(many.slice(0, 2), new Set(['user-1']));
  users.mayHaveChanged('user-7');
  expect(users.takeChanges()).toEqual(new Set(['user-0', 'user-1', 'user-7']));
  users.keepOnly(new Set([...ids].slice(3)));
  expect(users.takeChanges()).toEqual(new Set(['user-1', 'user-2']));
  users.stored(many.slice(10, 20), ids);
  expect(users.takeChanges()).toBeUndefined();
  expect(users.takeChanges()).toEqual(new Set());
});
