// Tests the API about proxy users: their quotas, the order by exhaustion, and pages of many users.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { ALL_COLLECTORS, ApiHarness, type Json } from './api-harness.ts';

const USERS = 120;
const OTHERS_OFF = Object.fromEntries(Object.keys(ALL_COLLECTORS).map((name) => [name, false]));

type Quota = Readonly<Record<string, unknown>>;

let api: ApiHarness;
let all: Json[];

beforeAll(async () => {
  api = await ApiHarness.build(
    { users: USERS },
    { ...OTHERS_OFF, proxy_users: { schedule: '*/30 * * * *' } },
  );
  await api.run(26);
  all = await api.items(`users?limit=1000&include_deleted=true`);
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

const quotasOf = (user: Json): Quota[] => Object.values(user.quotas as Record<string, Quota>);
const idsOf = (users: readonly Json[]): unknown[] => users.map(({ proxy_user_id }) => proxy_user_id);

/** Returns when the first of these quotas is exhausted, according to the answers instead of the store. */
const firstExhaustionOf = (quotas: readonly Quota[]): number =>
  Math.min(
    ...quotas.map(({ state, exhausted_at }) => {
      if (state === 'exhausted') return 0;
      return exhausted_at === null ? Number.POSITIVE_INFINITY : Date.parse(String(exhausted_at));
    }),
  );

describe('quotas', () => {
  it('match the metrics', async () => {
    const samples = await api.harness.samples();
    for (const user of all.filter(({ is_deleted }) => !is_deleted)) {
      const { countedAt } = await api.harness.app.store.users.listing(String(user.account));
      for (const [product_type, quota] of Object.entries(user.quotas as Record<string, Quota>)) {
        const labels = { proxy_user_id: String(user.proxy_user_id), product_type };
        const value = (name: string) => samples.value(`proxywatch_proxy_user_${name}`, labels) ?? null;
        expect(value('limit_bytes')).toBe(quota.limit_bytes);
        expect(value('used_bytes')).toBe(quota.used_bytes);
        expect(value('left_bytes')).toBe(quota.left_bytes);
        const seconds = value('exhaustion_timestamp_seconds');
        const { exhausted_at } = quota;
        expect(seconds === null).toBe(exhausted_at === null);
        // The metric counts from the full hour.
        const delay = Date.parse(String(exhausted_at)) / 1_000 - Number(seconds);
        if (seconds !== null) expect(Math.abs(delay - ((countedAt ?? 0) % HOUR) / 1_000)).toBeLessThan(1);
      }
    }
    expect(all.some((user) => quotasOf(user).some(({ exhausted_at }) => exhausted_at !== null))).toBe(true);
  });

  it('are counted by state as in the metrics', async () => {
    const samples = await api.harness.samples();
    const rows = await api.items('users/summary');
    expect(rows.map(({ product_type }) => product_type)).toEqual(['residential', 'mobile']);
    for (const row of rows) {
      const { product_type, states } = row;
      const { unknown, ...known } = states as Record<string, number>;
      expect(Object.values(known).reduce((sum, users) => sum + users, unknown ?? 0)).toBe(row.users);
      for (const [state, users] of Object.entries(known)) {
        const labels = { product_type: String(product_type), state };
        expect(samples.value('proxywatch_proxy_users_by_quota', labels)).toBe(users);
      }
      for (const [state, users] of Object.entries(states as Record<string, number>)) {
        const listed = await api.allPages(`users?state=${state}&product_type=${product_type}`, 20);
        expect([state, listed.length]).toEqual([state, users]);
      }
    }
  });
});

describe('lists', () => {
  it('contain each user once, deleted ones only if requested', async () => {
    expect(idsOf(await api.allPages('users?include_deleted=true', 7))).toEqual(idsOf(all));
    expect(all).toHaveLength(USERS);
    const current = all.filter(({ is_deleted }) => !is_deleted);
    expect(current.length).toBeLessThan(USERS);
    expect(idsOf(await api.allPages('users', 7))).toEqual(idsOf(current));
  });

  it('by exhaustion begin with exhausted users, then those that run out first', async () => {
    const current = all.filter(({ is_deleted }) => !is_deleted);
    for (const types of [['residential', 'mobile'], ['mobile']]) {
      const rankOf = (user: Json) =>
        firstExhaustionOf(types.map((type) => (user.quotas as Record<string, Quota>)[type] ?? {}));
      const query = types.length === 1 ? `&product_type=${types[0]}` : '';
      const users = await api.allPages(`users?sort=exhaustion${query}`, 11);
      expect(idsOf(users).toSorted()).toEqual(idsOf(current).toSorted());
      const ranks = users.map(rankOf);
      expect(ranks).toEqual(ranks.toSorted((one, other) => (one === other ? 0 : one - other)));
      expect(ranks.some((rank) => rank > 0 && rank < Number.POSITIVE_INFINITY)).toBe(true);
      expect(ranks.at(-1)).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('by state contain exactly the matching users with any page size', async () => {
    const state = fc.constantFrom('ok', 'low', 'soon', 'exhausted', 'unlimited', 'unknown');
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(state, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('id', 'exhaustion'),
        fc.integer({ min: 1, max: 50 }),
        async (states, sort, limit) => {
          const wanted = all.filter(
            (user) =>
              !user.is_deleted &&
              quotasOf(user).some((quota) => states.some((each) => each === (quota.state ?? 'unknown'))),
          );
          const query = states.map((each) => `state=${each}`).join('&');
          const found = await api.allPages(`users?${query}&sort=${sort}`, limit);
          expect(idsOf(found).toSorted()).toEqual(idsOf(wanted).toSorted());
        },
      ),
      { numRuns: 15 },
    );
  });

  it.each([
    ['exhaustion', '-exhaustion'],
    ['id', '-id'],
    ['-id', 'id'],
    ['id', 'exhaustion'],
    ['exhaustion', 'id'],
  ])('reject a cursor of another sort: %s, then %s', async (sort, other) => {
    const { next_cursor } = await api.answer(`users?limit=1&sort=${sort}`);
    const { status, body } = await api.request(`users?sort=${other}&cursor=${next_cursor}`);
    expect([status, body]).toEqual([400, { error: 'cursor: expected one of the same sort' }]);
    expect((await api.request(`users?sort=${sort}&cursor=${next_cursor}`)).status).toBe(200);
  });
});

describe('one user', () => {
  it('is the same as in the list, with the freshness of its data', async () => {
    for (const user of all.slice(0, 3)) {
      const { freshness, ...one } = await api.answer(`accounts/main/users/${user.proxy_user_id}`);
      expect(one).toEqual({ ...user, client_addresses: null, rise: { residential: null, mobile: null } });
      expect(freshness).toEqual([expect.objectContaining({ collector: 'proxy_users', state: 'current' })]);
    }
  });

  it('has the times that the provider gave, and the number of its restrictions', async () => {
    const found = await api.items('users?limit=1000');
    for (const { created_at, updated_at, ip_address_authentication_limit: limit } of found) {
      expect(Date.parse(String(created_at))).toBeLessThan(Date.parse(String(updated_at)));
      expect(limit).toBe(5);
    }
    const restricted = found.filter(({ access_type }) => access_type === 'service_restricted');
    expect(restricted.map(({ restricted_services }) => restricted_services)).toContain(1);
    expect(found.map((user) => user.ip_address_authentications)).toEqual(expect.arrayContaining([0, 1]));
    expect(JSON.stringify(found)).not.toContain('192.0.2.');
  });

  it('and the order of all users have a new ETag after the next run', async () => {
    const { etag } = await api.request('users?sort=exhaustion');
    expect((await api.request('users?sort=exhaustion', etag ?? '')).status).toBe(304);
    // This is shorter than the interval of maintenance, which also changes all ETags.
    await api.harness.advance(30 * MINUTE);
    expect((await api.request('users?sort=exhaustion', etag ?? '')).status).toBe(200);
  });
});
