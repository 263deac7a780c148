// Polls all users, or all use of a day, again and again, and only fetches, parses and inserts, which every poller must do:
// node bare-poll.ts URL STORE users|usage

import SQLite from 'better-sqlite3';
import { request } from 'undici';

const LISTINGS = {
  users: {
    path: 'proxy_user/search?sort_by=proxy_user_id',
    key: 'proxy_user_id',
    fields: ['access_type', 'is_deleted', 'residential_bytes_limit', 'residential_bytes_used'].map(
      (field) => `proxy_user_${field}`,
    ),
  },
  usage: {
    path: 'log_summary/search?sort_by=log_summary_id&min_log_summary_period=2026-01-01',
    key: 'log_summary_id',
    fields: ['period', 'network', 'hostname', 'requests', 'bytes', 'charged_bytes', 'charged_requests']
      .map((field) => `log_summary_${field}`)
      .concat('proxy_user_id'),
  },
};

const [, , url = '', path = '', name = 'users'] = process.argv;
const listing = LISTINGS[name as keyof typeof LISTINGS];
const columns = [listing.key, ...listing.fields];
const sql = new SQLite(path);
sql.pragma('journal_mode = WAL');
sql.pragma('synchronous = FULL');
sql.exec(
  `CREATE TABLE listed (${listing.key} ANY PRIMARY KEY, ${listing.fields.map((field) => `${field} ANY`).join(', ')}) STRICT, WITHOUT ROWID`,
);
const insert = sql.prepare(
  `INSERT OR REPLACE INTO listed VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
);
const save = sql.transaction((rows: Record<string, unknown>[]) => {
  for (const row of rows)
    insert.run({ ...row, proxy_user_is_deleted: Number(row.proxy_user_is_deleted ?? false) });
});

interface Answer {
  readonly data: Record<string, unknown>[];
  readonly total_count: number;
}

for (;;)
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const query = `&per_page=100&page=${page}`;
    const options = { headersTimeout: 0, headers: { 'x-api-public-key': 'p', 'x-api-private-key': 'k' } };
    const { body } = await request(`${url}/public/user/${listing.path}${query}`, options);
    const { data, total_count } = (await body.json()) as Answer;
    save(data);
    pages = Math.ceil(total_count / 100);
  }
