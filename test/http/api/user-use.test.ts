// Tests the API about the use of proxy users over time: points of hours and days, and the users that use the most.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePoints } from '../../../src/http/api/users/user-use.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { ALL_COLLECTORS, ApiHarness, type Json } from './api-harness.ts';

const OTHERS_OFF = Object.fromEntries(Object.keys(ALL_COLLECTORS).map((name) => [name, false]));
/** Hours of Asia/Kolkata begin half an hour after those of UTC. */
const ZONE = { time_zone: 'Asia/Kolkata' };
const ALL = 'from=2026-07-01T00:00:00Z&to=2026-07-08T00:00:00Z';
const START = Date.parse('2026-03-01T00:00:00Z');
const TYPES = ['residential', 'mobile'] as const;

/** When the newest stored hour ended. */
let HOUR_END: number;

type Bytes = Record<(typeof TYPES)[number], number | null>;

/** The use of some users. */
interface Part {
  readonly users: number;
  readonly bytes: Bytes;
  readonly share: number;
}

let api: ApiHarness;
let ids: string[];

beforeAll(async () => {
  api = await ApiHarness.build(
    { ...ZONE, users: 30 },
    { ...OTHERS_OFF, ...ZONE, proxy_users: { schedule: '*/30 * * * *', labels_from_metadata: ['team'] } },
  );
  for (let hour = 0; hour < 26; hour += 1) await api.harness.advance(HOUR);
  // The hour ends now, so everything is stored that the counters count.
  await api.harness.advance(30 * MINUTE);
  HOUR_END = api.harness.clock.now();
  ids = (await api.items('users?limit=1000')).map(({ proxy_user_id }) => String(proxy_user_id));
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

const useOf = (id: string, query: string): Promise<Json> =>
  api.answer(`accounts/main/users/${id}/use?${query}`);
const pointsIn = (answer: Json) => answer.data as (Json & { bytes: Bytes })[];
const sumOf = (points: readonly { readonly bytes: Bytes }[], type: (typeof TYPES)[number]): number =>
  points.reduce((sum, { bytes }) => sum + (bytes[type] ?? 0), 0);

describe('the use of a user', () => {
  it('is as much as its counters, by hour and by day', async () => {
    let isUsed = false;
    for (const id of ids) {
      const stored = await api.harness.app.store.users.find('main', id);
      for (const step of ['hour', 'day']) {
        const answer = await useOf(id, `${ALL}&step=${step}`);
        for (const type of TYPES) {
          const net = stored?.quotas[type].usage.net ?? 0;
          expect(sumOf(pointsIn(answer), type)).toBe(net);
          expect((answer.totals as Bytes)[type] ?? 0).toBe(net);
          isUsed ||= net > 0;
        }
      }
    }
    expect(isUsed).toBe(true);
  });

  it('has points of the account’s zone, which are unknown before the first listing and after the last', async () => {
    const answer = await useOf(ids[0] ?? '', 'from=2026-07-05T10:00:00Z&to=2026-07-05T14:00:00Z&step=hour');
    expect(answer).toMatchObject({
      ...{ account: 'main', proxy_user_id: ids[0], step: 'hour' },
      ...{ from: '2026-07-05T09:30:00.000Z', to: '2026-07-05T14:30:00.000Z' },
      counted_since: '2026-07-05T12:01:30.000Z',
    });
    const [before, , first, second] = pointsIn(answer);
    expect(before).toEqual({
      ...{ at: '2026-07-05T09:30:00.000Z', width_seconds: 3_600, counted_since: null, counted_until: null },
      bytes: { residential: null, mobile: null },
    });
    expect(first).toMatchObject({ at: '2026-07-05T11:30:00.000Z', counted_since: answer.counted_since });
    expect(second).toMatchObject({ at: '2026-07-05T12:30:00.000Z', counted_since: first?.counted_until });
    const days = pointsIn(await useOf(ids[0] ?? '', ALL));
    expect(days.map(({ counted_since }) => counted_since !== null)).toEqual([
      ...[false, false, false, false, true, true, false, false],
    ]);
    expect(days[4]).toMatchObject({ at: '2026-07-04T18:30:00.000Z', width_seconds: 86_400 });
  });

  it('is unknown for deleted days, for hours that are no longer stored, and for types that the provider does not give', () => {
    const day = START / DAY;
    const bytes = { residential: 5, mobile: 0 };
    const isGiven = { residential: true, mobile: false };
    const period = { since: START, until: START + HOUR, isGiven };
    const days = [0, 1, 2].map((n) => ({ day: day + n, ...period, hours: new Map([[1, period]]) }));
    const use = {
      missing: { residential: null, mobile: { since: 0, until: Number.POSITIVE_INFINITY } },
      deletedUntil: day,
      days: [0, 1].map((n) => ({ day: day + n, bytes, hours: n === 0 ? new Map([[1, bytes]]) : null })),
    };
    const range = { from: START, to: START + 3 * DAY };
    const bytesIn = (step: 'day' | 'hour') =>
      usePoints({ use, days, zone: 'UTC' }, range, step).map((point) => Object.values(point.bytes));
    expect(bytesIn('day')).toEqual([
      [null, null],
      [5, null],
      [0, null],
    ]);
    const hours = bytesIn('hour');
    expect(hours.flatMap((values, hour) => (values[0] === null ? [] : [[hour, ...values]]))).toEqual([
      [49, 0, null],
    ]);
  });

  it('is an error for unknown users and wrong ranges', async () => {
    const path = `accounts/main/users/${ids[0]}/use`;
    expect((await api.request('accounts/main/users/nobody/use')).status).toBe(404);
    for (const query of ['step=raw', 'from=2026-07-05T00:00:00Z&to=2026-07-05T00:00:00Z', 'form=1'])
      expect([query, (await api.request(`${path}?${query}`)).status]).toEqual([query, 400]);
    const { body } = await api.request(`${path}?step=hour&from=2026-01-01T00:00:00Z`);
    expect(body.error).toBe('from: expected a later time, because this makes more than 1500 points');
  });
});

describe('the ranking', () => {
  it.each(['', 'residential', 'mobile'])(
    'has the users by their use, the largest first: %s',
    async (type) => {
      const types = TYPES.filter((each) => type === '' || each === type);
      const query = `from=2026-07-01&to=2026-07-08&limit=1000${type && `&product_type=${type}`}`;
      const { data, accounts } = await api.answer(`users/use?${query}`);
      const shares = data as { proxy_user_id: string; bytes: Bytes; share: number }[];
      const [account] = accounts as (Json & { bytes: Bytes })[];
      expect(account).toMatchObject({ account: 'main', counted_days: 2, deleted_users: 0 });
      expect(account?.users).toBe(shares.length);
      const sizes = shares.map((each) => types.reduce((sum, type) => sum + sumOf([each], type), 0));
      expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
      const total = types.reduce((sum, type) => sum + (account?.bytes[type] ?? 0), 0);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total);
      expect(shares.map(({ share }) => share)).toEqual(sizes.map((size) => size / total));
      for (const { proxy_user_id, bytes } of shares.slice(0, 5)) {
        const { totals } = await useOf(proxy_user_id, ALL);
        for (const type of TYPES) expect((totals as Bytes)[type] ?? 0).toBe(bytes[type]);
      }
      const first = await api.items(`users/use?${query.replace('limit=1000', 'limit=3')}`);
      expect(first).toEqual(shares.slice(0, 3));
    },
  );

  it.each(['', 'mobile'])('by label has the same sum, and says who has no label (%s)', async (type) => {
    const query = `from=2026-07-01&to=2026-07-08${type && `&product_type=${type}`}`;
    const { labels, accounts } = await api.answer(`users/use?${query}`);
    const [team] = labels as (Json & Record<string, Part> & { readonly values: (Part & Json)[] })[];
    if (!team?.others || !team.not_set || !team.unknown) throw new Error('the answer has no label');
    const [account] = accounts as (Json & { bytes: Bytes })[];
    const parts = [...team.values, team.others, team.not_set, team.unknown];
    for (const each of TYPES) expect(sumOf(parts, each)).toBe(account?.bytes[each] ?? 0);
    expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(parts.reduce((sum, { users }) => sum + users, 0)).toBe(account?.users);
    expect([team.account, team.label, team.unknown.users]).toEqual(['main', 'team', 0]);
    expect(team.not_set.users).toBeGreaterThan(team.values.length);
    for (const { value } of team.values) expect(value).toMatch(/^team-\d$/);
  });

  it.each([1, 5, 12, 24, 168])(
    'of the last %i hours has the sums of these hours of each user',
    async (hours) => {
      const { data, accounts, labels } = await api.answer(`users/use?hours=${hours}&limit=1000`);
      const from = new Date(HOUR_END - hours * HOUR).toISOString();
      const range = `step=hour&from=${from}&to=${new Date(HOUR_END).toISOString()}`;
      const expected = new Map<string, Bytes>();
      let known = 0;
      for (const id of ids) {
        const answer = await useOf(id, range);
        known = pointsIn(answer).filter(({ counted_until: until }) => until !== null).length;
        if (TYPES.some((type) => sumOf(pointsIn(answer), type) > 0)) expected.set(id, answer.totals as Bytes);
      }
      const shares = data as { proxy_user_id: string; bytes: Bytes }[];
      expect(new Map(shares.map(({ proxy_user_id: id, bytes }) => [id, bytes]))).toEqual(expected);
      expect(accounts).toMatchObject([{ counted_hours: Math.min(hours, 27), users: expected.size }]);
      expect(known).toBe(Math.min(hours, 27));
      const [{ values }] = labels as [{ values: Part[] }];
      expect(values.filter(({ users }) => users === 0)).toEqual([]);
    },
  );

  it('takes either hours or days', async () => {
    for (const query of ['hours=0', 'hours=169', 'hours=1.5', 'hours=24&from=2026-07-01'])
      expect([query, (await api.request(`users/use?${query}`)).status]).toEqual([query, 400]);
    expect((await api.answer('users/use')).accounts).toMatchObject([{ counted_hours: null }]);
  });

  it('is unknown for days without listings', async () => {
    const { data, accounts } = await api.answer('users/use?from=2026-06-01&to=2026-06-02');
    expect(data).toEqual([]);
    expect(accounts).toEqual([
      expect.objectContaining({ bytes: null, counted_days: 0, counted_since: null }),
    ]);
  });

  it('changes when the next hour is stored', async () => {
    const first = await api.request('users/use');
    expect((await api.request('users/use', first.etag ?? '')).status).toBe(304);
    await api.harness.advance(HOUR);
    const later = await api.request('users/use', first.etag ?? '');
    expect(later.status).toBe(200);
    const bytesIn = ({ body }: { readonly body: Json }) =>
      (body.accounts as Json[]).map(({ bytes }) => bytes);
    expect(bytesIn(later)).not.toEqual(bytesIn(first));
  });
});
