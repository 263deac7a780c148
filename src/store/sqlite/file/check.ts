// Checks a store's file, also one that a daemon is writing.

import type SQLite from 'better-sqlite3';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { INVARIANTS } from './invariants.ts';
import { openAnyVersion, versionOf } from './open.ts';
import { readSidecar } from './sidecar.ts';
import { asStoreError } from './sqlite-error.ts';

export interface Finding {
  readonly subject: string;
  /** What is wrong, and the way out; null when the subject is sound. */
  readonly damage: string | null;
}

/** Of what is broken in one way, as much as helps to see how. */
const MAX_PROBLEMS = 5;
const LOST =
  'what it says cannot be trusted: restore a backup, or move the file away to start anew; and report this if the machine did not crash';

/**
 * One finding after the other; each may take seconds in a large file. Throws StoreError where there is no store of ours,
 * or it is so damaged that it cannot be read.
 */
export function* checkFile(path: string): Generator<Finding> {
  const sql = openAnyVersion(path);
  try {
    yield* findings(sql);
  } catch (error) {
    throw asStoreError(error, path);
  } finally {
    sql.close();
  }
}

function* findings(sql: SQLite.Database): Generator<Finding> {
  const version = versionOf(sql);
  const isPresent = version === MIGRATIONS.length;
  yield sound(
    isPresent
      ? `a store of proxywatch, schema ${version}`
      : `a store of proxywatch, schema ${version}; the daemon brings it to ${MIGRATIONS.length} when it starts`,
  );
  yield { subject: 'pages, rows and indexes', damage: pageDamage(sql) };
  yield { subject: 'references between tables', damage: referenceDamage(sql) };
  if (!isPresent) return;
  for (const { holds, broken } of INVARIANTS) {
    const count = sql.prepare<[], number>(broken).pluck().get() ?? 0;
    yield { subject: holds, damage: count === 0 ? null : `not so in ${count} rows; ${LOST}` };
  }
  if (isOlderFile(sql)) yield sound('an older file: its counters begin a new epoch when the daemon starts');
}

const sound = (subject: string): Finding => ({ subject, damage: null });

const pageDamage = (sql: SQLite.Database): string | null => {
  const rows = sql.pragma(`integrity_check(${MAX_PROBLEMS})`) as { integrity_check: string }[];
  const problems = rows.map((row) => row.integrity_check.replaceAll(/\s+/g, ' '));
  return problems.join() === 'ok' ? null : `${problems.join('; ')}; ${LOST}`;
};

const referenceDamage = (sql: SQLite.Database): string | null => {
  const rows = sql.pragma('foreign_key_check') as { table: string; parent: string }[];
  const pairs = [...new Set(rows.map(({ table, parent }) => `${table} to ${parent}`))];
  return rows.length === 0 ? null : `${rows.length} rows refer to nothing (${pairs.join(', ')}); ${LOST}`;
};

const isOlderFile = (sql: SQLite.Database): boolean => {
  // Before the store's own number, which a daemon may be raising.
  const sidecar = readSidecar(sql.name);
  const row = sql
    .prepare<[], { storeId: string; sequence: number; isRestored: number }>(
      'SELECT store_id AS storeId, sequence, is_restored AS isRestored FROM epoch',
    )
    .get();
  return row !== undefined && (row.isRestored === 1 || (sidecar.get(row.storeId) ?? 0) > row.sequence);
};
