// Polls all users again and again, and only fetches, parses and inserts, which every poller must do: node bare-poll.ts URL STORE

import SQLite from 'better-sqlite3';
import { request } from 'undici';

const [, , url = '', path = ''] = process.argv;
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

interface Answer {
  readonly data: Record<string, unknown>[];
  readonly total_count: number;
}

for (;;)
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const query = `per_page=100&page=${page}&sort_by=proxy_user_id`;
    const options = { headersTimeout: 0, headers: { 'x-api-public-key': 'p', 'x-api-private-key': 'k' } };
    const { body } = await request(`${url}/public/user/proxy_user/search?${query}`, options);
    const { data, total_count } = (await body.json()) as Answer;
    save(data);
    pages = Math.ceil(total_count / 100);
  }
