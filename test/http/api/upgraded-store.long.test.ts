// Tests that the API of a daemon with the store of an earlier version shows the history of that store.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createView } from '../../../src/daemon/http-view.ts';
import { startHttpServer } from '../../../src/http/server.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { makeFolder } from '../../store/support.ts';
import { buildFixtureHarness, FIXTURE_END } from '../../support/fixture-account.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/stores/v5.db.gz');

interface Sums {
  readonly results: number;
  readonly successes: number;
  readonly own_failures: number | null;
}

it('shows tests, failures, faults, traffic, ledger and users of a store of version 5', async () => {
  const storeFile = join(makeFolder(), 'store.db');
  writeFileSync(storeFile, gunzipSync(readFileSync(FIXTURE)));
  await using harness = await buildFixtureHarness({ now: FIXTURE_END, storeFile });
  const { app, clock } = harness;
  await using server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock, log: silentLog },
    view: createView({ app, clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
  });
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${server.address.port}/api/v1/${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  };
  const list = async <T>(path: string): Promise<readonly T[]> =>
    (await get<{ data: readonly T[] }>(path)).data;

  const days = await get<{ data: readonly Sums[] }>(
    'accounts/main/proxies/p2/history?step=day&from=2026-07-01T00:00:00Z&to=2026-07-07T00:00:00Z',
  );
  const results = days.data.reduce((sum, day) => sum + day.results, 0);
  expect(results).toBeGreaterThan(40);
  // The earlier version did not store what is at fault for its failures.
  expect(days.data.filter((day) => day.results > day.successes).map((day) => day.own_failures)).toContain(
    null,
  );

  expect(await list('faults')).toMatchObject([{ kind: 'proxy', subject: 'p2' }]);
  expect((await list('failures?proxy_id=p2')).length).toBeGreaterThan(5);
  const points = await get<{ data: readonly { bytes: number | null }[] }>(
    'accounts/main/traffic?from=2026-07-05T12:00:00Z&to=2026-07-06T12:00:00Z&step=hour',
  );
  expect(points.data.filter(({ bytes }) => bytes !== null && bytes > 0).length).toBeGreaterThan(20);
  expect((await list('ledger?account=main')).length).toBe(1);
  const users = await list<{ proxy_user_id: string; quotas: { residential: { used_bytes: number } } }>(
    'users',
  );
  expect(users).toHaveLength(5);
  // The use of each user is counted from the upgrade on. Before, it is unknown.
  const use = await get<{ data: readonly { bytes: { residential: number | null } }[] }>(
    `accounts/main/users/${users[0]?.proxy_user_id}/use?from=2026-07-01T00:00:00Z&to=2026-07-06T00:00:00Z&step=day`,
  );
  expect(use.data.length).toBeGreaterThan(0);
  expect(use.data.every(({ bytes }) => bytes.residential === null)).toBe(true);
});
