// Measures the files of the daemon's store from outside: their sizes, and the rows of each table.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';

/** Returns the size of each file (bytes), by its name. */
export const fileSizesIn = (folder: string): Record<string, number> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => [name, statSync(join(folder, name))] as const)
      .filter(([, stat]) => stat.isFile())
      .map(([name, { size }]) => [`bytes of ${name}`, size]),
  );

/** Returns the number of rows of each table. */
export const rowsIn = (storeFile: string): Record<string, number> => {
  const db = new SQLite(storeFile, { readonly: true });
  try {
    const tables = db
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
      .pluck()
      .all();
    return Object.fromEntries(
      tables.map((table) => [
        `rows of ${table}`,
        db.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0,
      ]),
    );
  } finally {
    db.close();
  }
};
