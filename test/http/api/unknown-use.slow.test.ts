// Tests that the use of a product type is unknown, and not 0, while the provider does not give it.

import { expect, it } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { userRow } from '../../collectors/stub-account.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { ApiHarness, type Json } from './api-harness.ts';

const ONLY_USERS = {
  ...{ traffic: false, residential_ledger: false, inventory: false, services: false, proxy_tests: false },
  ...{ catalog: false, quotes: false, geography: false, reconciliation: false },
  proxy_users: { schedule: '0 * * * *' },
};

/** What the provider answers in an hour: the used bytes of `alice` and `bob`, or null if it does not give them. */
interface Answer {
  readonly alice: readonly [residential: number, mobile: number | null];
  readonly bob?: readonly [residential: number, mobile: number | null];
}

/** Polls each answer, an hour apart, and passes the API to `check`. */
const afterAnswers = async (
  answers: readonly Answer[],
  check: (api: ApiHarness) => Promise<void>,
): Promise<void> => {
  let current = answers[0];
  const rowOf = (id: string, [residential, mobile]: Answer['alice']) => {
    const row = userRow(id, { proxy_user_residential_bytes_used: residential });
    return { ...row, proxy_user_mobile_bytes_used: mobile };
  };
  await using provider = await startFakeProvider(() => {
    const { alice = [0, null], bob } = current ?? {};
    const data = [rowOf('alice', alice), ...(bob ? [rowOf('bob', bob)] : [])];
    return { body: { data, total_count: data.length } };
  });
  await using api = await ApiHarness.build({}, { ...ONLY_USERS, base_url: provider.baseUrl });
  // The first answer is polled at the start.
  for (const answer of answers.slice(1)) {
    current = answer;
    await api.harness.advance(HOUR);
  }
  await check(api);
};

/** Returns the mobile bytes of the hours that have listings. */
const mobileOf = async (api: ApiHarness, id: string): Promise<(number | null)[]> => {
  const { data } = await api.answer(`accounts/main/users/${id}/use?step=hour`);
  return (data as { counted_since: string | null; bytes: { mobile: number | null } }[])
    .filter(({ counted_since }) => counted_since !== null)
    .map(({ bytes }) => bytes.mobile);
};

const rankingOf = async (api: ApiHarness, query = ''): Promise<{ account: unknown; users: unknown }> => {
  const { accounts, data } = await api.answer(`users/use${query}`);
  const users = (data as Json[]).map(({ proxy_user_id, bytes }) => [proxy_user_id, bytes]);
  return { account: (accounts as Json[])[0]?.bytes, users };
};

const given = (...mobile: readonly (number | null)[]): Answer[] =>
  mobile.map((bytes, hour) => ({ alice: [100 * hour, bytes] }));

it('is unknown in all hours if it is never given', () =>
  afterAnswers(given(null, null, null), async (api) => {
    expect(await mobileOf(api, 'alice')).toEqual([null, null]);
    expect((await api.answer('accounts/main/users/alice/use')).totals).toEqual({
      residential: 200,
      mobile: null,
    });
    expect(await rankingOf(api)).toEqual({
      account: { residential: 200, mobile: null },
      users: [['alice', { residential: 200, mobile: null }]],
    });
  }));

it('is unknown in the hours before it was given', () =>
  afterAnswers(given(null, null, null, null, 0, 0, 7), async (api) => {
    expect(await mobileOf(api, 'alice')).toEqual([null, null, null, null, 0, 7]);
  }));

it('counts in no sum before it was given', () =>
  afterAnswers(given(null, null, null, null, 0), async (api) => {
    expect((await api.answer('accounts/main/users/alice/use?step=hour')).totals).toEqual({
      residential: 400,
      mobile: null,
    });
    expect((await rankingOf(api)).users).toEqual([['alice', { residential: 400, mobile: null }]]);
  }));

it('stays known in the hours before the provider stops giving it', () =>
  afterAnswers(given(0, 0, 5, 5, null, null, null), async (api) => {
    expect(await mobileOf(api, 'alice')).toEqual([0, 5, 0, null, null, null]);
    for (const [hours, mobile] of [
      [2, null],
      [4, 0],
      [5, 5],
    ] as const)
      expect(await rankingOf(api, `?hours=${hours}`)).toEqual({
        account: { residential: 100 * hours, mobile },
        users: [['alice', { residential: 100 * hours, mobile }]],
      });
  }));

it('stays known if a single listing lacks it', () =>
  afterAnswers(given(0, 0, null, 0, 0), async (api) => {
    expect(await mobileOf(api, 'alice')).toEqual([0, 0, 0, 0]);
  }));

it('is unknown in the hours before it was given again, and counts the bytes of these hours when it is', () =>
  afterAnswers(given(0, 5, 5, null, null, null, 9, 9), async (api) => {
    expect(await mobileOf(api, 'alice')).toEqual([5, 0, null, null, null, 4, 0]);
  }));

it('is known for one user, and unknown for another', () =>
  afterAnswers(
    [0, 100, 200].map((bytes) => ({ alice: [bytes, 0], bob: [bytes / 2, null] })),
    async (api) => {
      expect(await rankingOf(api)).toEqual({
        account: { residential: 300, mobile: 0 },
        users: [
          ['alice', { residential: 200, mobile: 0 }],
          ['bob', { residential: 100, mobile: null }],
        ],
      });
    },
  ));

it('of a new user is 0 before its first listing', () =>
  afterAnswers([{ alice: [0, 0] }, { alice: [1, 0] }, { alice: [1, 0], bob: [9, 0] }], async (api) => {
    expect(await mobileOf(api, 'bob')).toEqual([0, 0]);
  }));
