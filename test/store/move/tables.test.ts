// Tests that each table of the schema is listed as one that moves with an account, or as one that does not.

import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { MOVED_TABLES, UNMOVED_TABLES } from '../../../src/store/sqlite/move/moved-tables.ts';

/** Returns the rows that the statement finds in an empty store. */
const inSchema = <T>(statement: string): T[] => {
  using stack = new DisposableStack();
  const sql = stack.adopt(new SQLite(':memory:'), (connection) => connection.close());
  for (const step of MIGRATIONS) sql.exec(step);
  return sql.prepare<[], T>(statement).all();
};

const TABLES = `(SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%') AS made`;

const names = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name);

test('every table is in one of the two lists', () => {
  const listed = [...Object.keys(MOVED_TABLES), ...Object.keys(UNMOVED_TABLES)];
  const made = names(inSchema(`SELECT name FROM ${TABLES}`));
  const missing = made.filter((table) => !listed.includes(table));
  expect(missing, 'add these tables to src/store/sqlite/move/moved-tables.ts').toEqual([]);
  expect(listed.toSorted()).toEqual(made.toSorted());
});

test('no table that is keyed by account stays', () => {
  const keyed = names(
    inSchema(
      `SELECT DISTINCT made.name FROM ${TABLES} JOIN pragma_table_info(made.name) AS field
       WHERE field.name IN ('account', 'account_id', 'graph_id')`,
    ),
  );
  expect(keyed.length).toBeGreaterThan(40);
  expect(keyed.filter((name) => !(name in MOVED_TABLES))).toEqual([]);
});

test('every number that refers to a row of another table becomes that of the other store', () => {
  const references = inSchema<{ name: string; column: string }>(
    `SELECT made.name, reference."from" AS column FROM ${TABLES}
     JOIN pragma_foreign_key_list(made.name) AS reference`,
  );
  // These have no foreign key, because their rows may outlive those that they refer to.
  const others = inSchema<{ name: string; column: string }>(
    `SELECT made.name, field.name AS column FROM ${TABLES} JOIN pragma_table_info(made.name) AS field
     WHERE field.name IN ('publication_id', 'mark', 'episode', 'proxy', 'url', 'tester')
       AND field.type = 'INTEGER'`,
  );
  expect([references.length > 40, others.length > 15]).toEqual([true, true]);
  const isUnchanged = ({ name, column }: { name: string; column: string }): boolean =>
    MOVED_TABLES[name] !== undefined && MOVED_TABLES[name].columns?.[column] === undefined;
  expect([...references, ...others].filter(isUnchanged)).toEqual([]);
});
