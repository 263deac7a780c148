// Runs one poller in its own process: the daemon, which lists all users and renders them, or a minimal loop.

import SQLite from 'better-sqlite3';
import { request } from 'undici';
import { createApp } from '../src/daemon/app.ts';
import { settingsSchema } from '../src/daemon/settings.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { costOf } from './harness.ts';
import { serve } from './processes.ts';

interface Provider {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Runs one poll per message from the parent process and answers with its cost. */
const servePolls = (poll: () => Promise<void>): void => serve('ready', () => costOf(poll, false));

const daemon = async ({ baseUrl, publicKey, privateKey }: Provider, path: string): Promise<void> => {
  const account = {
    ...{ name: 'bench', base_url: baseUrl, public_key: publicKey, private_key: privateKey },
    ...{ requests_per_second: 1_000_000, traffic: false, residential_ledger: false },
  };
  const settings = settingsSchema.parse({ store: { path }, accounts: [account] });
  const app = await createApp({
    ...{ settings, clock: systemClock, log: silentLog, version: '0', nodeVersion: process.versions.node },
  });
  const [job] = app.accounts.flatMap(({ jobs }) => jobs);
  servePolls(async () => {
    await job?.collect(AbortSignal.timeout(600_000), () => {}, Number.POSITIVE_INFINITY);
    await job?.render();
  });
};

/** Only fetches, parses and inserts, which every poller must do. */
const bare = async ({ baseUrl, publicKey, privateKey }: Provider, path: string): Promise<void> => {
  const sql = new SQLite(path);
  sql.pragma('journal_mode = WAL');
  sql.pragma('synchronous = FULL');
  sql.exec(`CREATE TABLE proxy_user (id TEXT PRIMARY KEY, access_type TEXT, deleted INTEGER, residential_limit INTEGER,
    residential_used INTEGER, mobile_limit INTEGER, mobile_used INTEGER) STRICT, WITHOUT ROWID`);
  const insert =
    sql.prepare(`INSERT OR REPLACE INTO proxy_user VALUES (@proxy_user_id, @proxy_user_access_type, @deleted,
    @proxy_user_residential_bytes_limit, @proxy_user_residential_bytes_used, @proxy_user_mobile_bytes_limit,
    @proxy_user_mobile_bytes_used)`);
  const save = sql.transaction((users: Record<string, unknown>[]) => {
    for (const user of users) insert.run({ ...user, deleted: Number(user.proxy_user_is_deleted) });
  });
  const headers = { 'x-api-public-key': publicKey, 'x-api-private-key': privateKey };
  servePolls(async () => {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const query = `per_page=100&page=${page}&sort_by=proxy_user_id`;
      const { body } = await request(`${baseUrl}/public/user/proxy_user/search?${query}`, { headers });
      const answer = (await body.json()) as { data: Record<string, unknown>[]; total_count: number };
      save(answer.data);
      pages = Math.ceil(answer.total_count / 100);
    }
  });
};

const [kind, provider = '{}', path = ''] = process.argv.slice(2);
await (kind === 'daemon' ? daemon : bare)(JSON.parse(provider) as Provider, path);
