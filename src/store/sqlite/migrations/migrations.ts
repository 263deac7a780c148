// Lists the migrations that lead to the current schema, and tells whether a store has all parts of its schema version.

import SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { FIRST } from './first.ts';
import { withColumnLines } from './schema.ts';
import { SECOND } from './second.ts';
import { SEVENTH } from './seventh.ts';
import { SIXTH } from './sixth.ts';
import { FIFTH, FOURTH, THIRD } from './third-to-fifth.ts';

/**
 * The steps, in order. `user_version` of a store is the number of steps taken. All changes of a release are one step,
 * because stores of each release exist. A released step is never changed.
 */
export const MIGRATIONS: readonly string[] = [FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH].map(
  withColumnLines,
);

const LIST_PARTS = `
  SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL
  UNION ALL
  SELECT 'column ' || owner.name || '.' || part.name
  FROM sqlite_schema AS owner JOIN pragma_table_info(owner.name) AS part WHERE owner.type = 'table'`;

export const ADVICE =
  'Restore a backup that a released version wrote, with "proxywatch store restore". Or move the file away, which keeps it, to start with an empty store: counters begin at 0, and proxywatch reads again what the provider still has';

/**
 * Returns what the store lacks of its schema version, and what that means; null if it lacks nothing. A build from before
 * the release of a version may have stored the version's number without its last tables.
 */
export const describeMissingParts = (
  sql: SQLite.Database,
  version: number,
  migrations: readonly string[] = MIGRATIONS,
): string | null => {
  const present = new Set(partsOf(sql));
  const [first, ...others] = partsAfter(migrations.slice(0, version)).filter((part) => !present.has(part));
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : `, and ${others.length} more parts`;
  return `it has schema ${version}, but lacks the ${first}${more} of this schema. A build from before the release of schema ${version} wrote it, and no version can upgrade it`;
};

/** Throws StoreError if the store lacks parts of its schema version. `advice` says what to do. */
export const requireAllParts = (
  sql: SQLite.Database,
  version: number,
  advice = ADVICE,
  migrations: readonly string[] = MIGRATIONS,
): void => {
  const missing = describeMissingParts(sql, version, migrations);
  if (missing !== null)
    throw new StoreError('failed', `${sql.name}: this store is not supported: ${missing}. ${advice}`);
};

const partsOf = (sql: SQLite.Database): string[] => sql.prepare<[], string>(LIST_PARTS).pluck().all();

/** Returns the parts that the steps create. */
const partsAfter = (steps: readonly string[]): string[] => {
  const sql = new SQLite(':memory:');
  try {
    for (const step of steps) sql.exec(step);
    return partsOf(sql);
  } finally {
    sql.close();
  }
};
