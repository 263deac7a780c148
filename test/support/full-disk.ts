// Simulates a full disk: every statement that changes a row of the store fails.

import SQLite from 'better-sqlite3';

/** Makes all writes fail, on every connection, until the result is disposed. */
export const simulateFullDisk = (path: string): Disposable => {
  const sql = new SQLite(path);
  const triggers = tablesOf(sql).flatMap((table) =>
    ['INSERT', 'UPDATE', 'DELETE'].map((kind) => ({ table, kind, name: `full_${table}_${kind}` })),
  );
  for (const { table, kind, name } of triggers)
    sql.exec(
      `CREATE TRIGGER ${name} BEFORE ${kind} ON ${table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
    );
  return {
    [Symbol.dispose]: () => {
      for (const { name } of triggers) sql.exec(`DROP TRIGGER ${name}`);
      sql.close();
    },
  };
};

const tablesOf = (sql: SQLite.Database): string[] =>
  sql
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
