// Copies all rows of an account from the attached database `source` to the main one, with new numbers where needed.

import type SQLite from 'better-sqlite3';
import type { Move } from '../table.ts';
import { ofTables, TABLES } from '../tables.ts';
import { USED_SUBJECTS } from '../tests/tables.ts';

/** The highest number that is or was used in the main database, by table. */
const OFFSETS = `CREATE TEMP TABLE moved_offset AS SELECT ${ofTables(
  ({ highest }, table) => highest && `(${highest}) AS ${table}`,
).join(', ')}`;

/** The account of an account's probes has a name that begins with this. */
const PROBES_PREFIX = 'probes/';

/** The names under which the store has the rows of an account. */
export const storedNames = (account: string): [own: string, probes: string] => [
  account,
  PROBES_PREFIX + account,
];

/** Must run inside a transaction. The main database has no account of this name. */
export const copyAccount = (sql: SQLite.Database, account: string): void => {
  dropTemporaryTables(sql);
  sql.exec(OFFSETS);
  sql.exec(
    'CREATE TEMP TABLE moved_account (old INTEGER PRIMARY KEY, new INTEGER NOT NULL, name TEXT NOT NULL)',
  );
  sql
    .prepare(
      `INSERT INTO moved_account SELECT id, id + (SELECT coalesce(max(id), 0) FROM main.account), name
       FROM source.account WHERE name IN (?, ?)`,
    )
    .run(...storedNames(account));
  sql.exec(`CREATE TEMP TABLE used_subject AS ${USED_SUBJECTS}`);
  sql.exec('CREATE TEMP TABLE moved_subject (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)');
  for (const [table, { move }] of TABLES) {
    if (typeof move !== 'string') sql.exec(copyStatement(sql, table, move));
    if (table === 'subject') matchSubjects(sql);
  }
  dropTemporaryTables(sql);
};

const copyStatement = (
  sql: SQLite.Database,
  table: string,
  { from = `source.${table}`, where, columns = {}, onConflict }: Move,
): string => {
  const names = (sql.pragma(`main.table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const values = names.map((name) => columns[name] ?? name);
  return `INSERT INTO main.${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${from} WHERE ${where}
    ${onConflict ? `ON CONFLICT ${onConflict}` : ''}`;
};

/** 0 stands for all subjects, and for a deleted one. */
const matchSubjects = (sql: SQLite.Database): void => {
  sql.exec(`INSERT INTO moved_subject SELECT 0, 0 UNION ALL
    SELECT theirs.id, ours.id FROM source.subject AS theirs JOIN main.subject AS ours USING (text)
    WHERE theirs.id IN (SELECT old FROM used_subject)`);
};

const dropTemporaryTables = (sql: SQLite.Database): void => {
  for (const table of ['moved_offset', 'moved_account', 'used_subject', 'moved_subject'])
    sql.exec(`DROP TABLE IF EXISTS temp.${table}`);
};
