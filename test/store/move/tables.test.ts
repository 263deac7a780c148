// Tests that each table of the schema is listed as one that moves with an account, or as one that does not.

import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { MOVED_TABLES, UNMOVED_TABLES } from '../../../src/store/sqlite/move/moved-tables.ts';

const schemaTables = (): string[] => {
  using stack = new DisposableStack();
  const sql = stack.adopt(new SQLite(':memory:'), (connection) => connection.close());
  for (const step of MIGRATIONS) sql.exec(step);
  const names = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`;
  return sql.prepare<[], string>(names).pluck().all();
};

test('every table is in one of the two lists', () => {
  const listed = [...Object.keys(MOVED_TABLES), ...Object.keys(UNMOVED_TABLES)];
  const missing = schemaTables().filter((table) => !listed.includes(table));
  expect(missing, 'add these tables to src/store/sqlite/move/moved-tables.ts').toEqual([]);
  expect(listed.toSorted()).toEqual(schemaTables().toSorted());
});

test('no table that is keyed by account stays', () => {
  using stack = new DisposableStack();
  const sql = stack.adopt(new SQLite(':memory:'), (connection) => connection.close());
  for (const step of MIGRATIONS) sql.exec(step);
  const keyed = sql
    .prepare<[], string>(
      `SELECT DISTINCT made.name FROM sqlite_schema AS made JOIN pragma_table_info(made.name) AS field
       WHERE made.type = 'table' AND field.name IN ('account', 'account_id', 'graph_id')`,
    )
    .pluck()
    .all();
  expect(keyed.length).toBeGreaterThan(40);
  expect(keyed.filter((name) => !(name in MOVED_TABLES))).toEqual([]);
});
