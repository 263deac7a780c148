// Tests that each table of the schema is described, and how it moves with an account, or why it does not.

import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { TABLES } from '../../../src/store/sqlite/tables.ts';
import { MOVES } from './moves.ts';

/** Returns the rows that the statement finds in an empty store. */
const inSchema = <T>(statement: string): T[] => {
  using stack = new DisposableStack();
  const sql = stack.adopt(new SQLite(':memory:'), (connection) => connection.close());
  for (const step of MIGRATIONS) sql.exec(step);
  return sql.prepare<[], T>(statement).all();
};

const MADE_TABLES = `(SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%') AS made`;

const names = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name);

test('every table is described', () => {
  const listed = TABLES.map(([name]) => name);
  const made = names(inSchema(`SELECT name FROM ${MADE_TABLES}`));
  const missing = made.filter((table) => !listed.includes(table));
  expect(missing, 'describe these tables: see src/store/sqlite/tables.ts').toEqual([]);
  expect(listed.toSorted()).toEqual(made.toSorted());
});

test('no table that is keyed by account stays', () => {
  const keyed = names(
    inSchema(
      `SELECT DISTINCT made.name FROM ${MADE_TABLES} JOIN pragma_table_info(made.name) AS field
       WHERE field.name IN ('account', 'account_id', 'graph_id')`,
    ),
  );
  expect(keyed.length).toBeGreaterThan(40);
  expect(keyed.filter((name) => !(name in MOVES))).toEqual([]);
});

test('every number that refers to a row of another table becomes that of the other store', () => {
  const references = inSchema<{ name: string; column: string }>(
    `SELECT made.name, reference."from" AS column FROM ${MADE_TABLES}
     JOIN pragma_foreign_key_list(made.name) AS reference`,
  );
  // These have no foreign key, because their rows may outlive those that they refer to.
  const others = inSchema<{ name: string; column: string }>(
    `SELECT made.name, field.name AS column FROM ${MADE_TABLES} JOIN pragma_table_info(made.name) AS field
     WHERE field.name IN ('publication_id', 'mark', 'episode', 'proxy', 'url', 'tester')
       AND field.type = 'INTEGER'`,
  );
  expect([references.length > 40, others.length > 15]).toEqual([true, true]);
  const isUnchanged = ({ name, column }: { name: string; column: string }): boolean =>
    MOVES[name] !== undefined && MOVES[name].columns?.[column] === undefined;
  expect([...references, ...others].filter(isUnchanged)).toEqual([]);
});
