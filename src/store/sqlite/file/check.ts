// Checks a store's file, which a daemon may be writing meanwhile.

import type SQLite from 'better-sqlite3';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { INVARIANTS } from './invariants.ts';
import { openAnyVersion, versionOf } from './open.ts';
import { describeMissingParts, ADVICE as UNRELEASED_ADVICE } from '../migrations/migrations.ts';
import { readSidecar } from './sidecar.ts';
import { asStoreError } from './sqlite-error.ts';

export interface CheckResult {
  readonly subject: string;
  /** What is wrong and what to do about it; null if nothing is wrong. */
  readonly damage: string | null;
}

/** More problems of the same kind would not explain more. */
const MAX_PROBLEMS = 5;
const ADVICE =
  'Restore a backup, or move the file away to start with an empty store. If the machine did not crash, report a bug';

/**
 * Yields one result after the other. Each may take seconds in a large file. Throws StoreError if the file is no store
 * of proxywatch, or is too damaged to be read.
 */
export function* checkFile(path: string): Generator<CheckResult> {
  const sql = openAnyVersion(path);
  try {
    yield* checks(sql);
  } catch (error) {
    throw asStoreError(error, path);
  } finally {
    sql.close();
  }
}

function* checks(sql: SQLite.Database): Generator<CheckResult> {
  const version = versionOf(sql);
  const isCurrent = version === MIGRATIONS.length;
  yield passed(
    isCurrent
      ? `a store of proxywatch, schema ${version}`
      : `a store of proxywatch, schema ${version}, which the daemon upgrades to schema ${MIGRATIONS.length} when it starts`,
  );
  yield { subject: 'pages, rows and indexes', damage: pageDamage(sql) };
  yield { subject: 'references between tables', damage: referenceDamage(sql) };
  const missing = describeMissingParts(sql, version);
  yield {
    subject: 'tables and columns of the schema',
    damage: missing === null ? null : `${missing}. ${UNRELEASED_ADVICE}`,
  };
  if (!isCurrent || missing !== null) return;
  for (const { description, countViolations } of INVARIANTS) {
    const count = sql.prepare<[], number>(countViolations).pluck().get() ?? 0;
    yield { subject: description, damage: count === 0 ? null : `not true for ${count} rows. ${ADVICE}` };
  }
  if (isOlderFile(sql))
    yield passed(
      'this is an older file than at the last run, so all counters begin a new epoch when the daemon starts',
    );
}

const passed = (subject: string): CheckResult => ({ subject, damage: null });

const pageDamage = (sql: SQLite.Database): string | null => {
  const rows = sql.pragma(`integrity_check(${MAX_PROBLEMS})`) as { integrity_check: string }[];
  const problems = rows.map((row) => row.integrity_check.replaceAll(/\s+/g, ' '));
  return problems.join() === 'ok' ? null : `${problems.join(', ')}. ${ADVICE}`;
};

const referenceDamage = (sql: SQLite.Database): string | null => {
  const rows = sql.pragma('foreign_key_check') as { table: string; parent: string }[];
  const pairs = [...new Set(rows.map(({ table, parent }) => `${table} to ${parent}`))];
  return rows.length === 0
    ? null
    : `${rows.length} rows refer to missing rows (${pairs.join(', ')}). ${ADVICE}`;
};

const isOlderFile = (sql: SQLite.Database): boolean => {
  // The sidecar is read before the store's own number, which a daemon may be raising.
  const sidecar = readSidecar(sql.name);
  const row = sql
    .prepare<[], { storeId: string; sequence: number; isRestored: number }>(
      'SELECT store_id AS storeId, sequence, is_restored AS isRestored FROM epoch',
    )
    .get();
  return row !== undefined && (row.isRestored === 1 || (sidecar.get(row.storeId) ?? 0) > row.sequence);
};
