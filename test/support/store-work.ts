// Works on a store in a process of its own, so that a test can kill it: node store-work.ts migrate|maintain PATH [NOW]

import { DAY } from '../../src/lib/time.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const [work, path = '', now = '0'] = process.argv.slice(2);

/** Nothing is kept but the sums by day. */
const RETENTION = { rawMs: DAY, hourlyMs: 2 * DAY, dailyMs: 10_000 * DAY };

process.stdout.write('begin\n');
using store = openSqliteStore({ path, firstStepHoldMs: 0 });
if (work === 'maintain') {
  const graphs = (await store.traffic.graphs('main')).map(({ name }) => name);
  const accounts = [{ name: 'main', zone: 'UTC', graphs, areUsersPolled: true }];
  const { signal } = new AbortController();
  await store.maintain({ now: Number(now), retention: RETENTION, accounts, signal });
}
