// Tests that the list of users keeps the order of the last run while maintenance deletes rows.

import { expect, it } from 'vitest';
import { COLLECTOR_NAMES } from '../../../src/collectors/context.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { userRow } from '../../collectors/stub-account.ts';
import { user } from '../../store/user-use-support.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { ApiHarness } from '../api/api-harness.ts';

const OFF = Object.fromEntries(COLLECTOR_NAMES.map((name) => [name, false]));
const RETENTION = { rawMs: HOUR, hourlyMs: HOUR, dailyMs: HOUR };

it('the order of users is that of the last run, also during a run and maintenance', async () => {
  const data = [
    userRow('alice', { proxy_user_residential_bytes_used: 200 }),
    userRow('bob', { proxy_user_residential_bytes_used: 100 }),
  ];
  await using provider = await startFakeProvider(() => ({ body: { data, total_count: data.length } }));
  const proxy_users = { schedule: '0 * * * *' };
  await using api = await ApiHarness.build({}, { ...OFF, proxy_users, base_url: provider.baseUrl });
  const order = async () =>
    (await api.items('users?sort=-used_bytes')).map(({ proxy_user_id }) => proxy_user_id);
  expect(await order()).toEqual(['alice', 'bob']);
  const { app, clock } = api.harness;
  // A run stores its pages before it ends.
  await app.store.users.savePage('main', [user('bob', 300)], clock.now());
  const before = app.store.revision(['users']);
  const main = { name: 'main', zone: 'UTC', graphs: [], areUsersPolled: true };
  const { signal } = new AbortController();
  await app.store.maintain({ now: clock.now() + DAY, retention: RETENTION, accounts: [main], signal });
  expect(app.store.revision(['users'])).toBeGreaterThan(before);
  expect(await order()).toEqual(['alice', 'bob']);
  data[1] = userRow('bob', { proxy_user_residential_bytes_used: 300 });
  await api.harness.advance(HOUR);
  expect(await order()).toEqual(['bob', 'alice']);
});
