// Checks a store's file, which a daemon may be writing meanwhile.

import type SQLite from 'better-sqlite3';
import { describeMissingParts, MIGRATIONS, ADVICE as UNRELEASED_ADVICE } from '../migrations/migrations.ts';
import { asStoreError } from './errors.ts';
import { openAnyVersion, versionOf } from './open.ts';
import { readSidecar } from './sidecar.ts';

export interface CheckResult {
  readonly subject: string;
  /** What is wrong and what to do about it; null if nothing is wrong. */
  readonly damage: string | null;
}

/** More problems of the same kind would not explain more. */
const MAX_PROBLEMS = 5;
const ADVICE =
  'Restore a backup, or move the file away to start with an empty store. If the machine did not crash, report a bug';

/** Yields results one by one; each may take seconds in a large file. Throws StoreError if it is no store, or too damaged. */
export function* checkFile(path: string): Generator<CheckResult> {
  using sql = openAnyVersion(path);
  try {
    yield* checks(sql);
  } catch (error) {
    throw asStoreError(error, path);
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
  for (const [subject, countViolations] of Object.entries(INVARIANTS)) {
    const count = sql.prepare<[], number>(countViolations).pluck().get() ?? 0;
    yield { subject, damage: count === 0 ? null : `not true for ${count} rows. ${ADVICE}` };
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

/** What is true in each store, and SQL that counts the rows that violate it. */
const INVARIANTS: Readonly<Record<string, string>> = {
  'no counter shows less than it counted': 'SELECT count(*) FROM counter WHERE served < net',
  'no counter of a user shows less than it counted': `
    SELECT count(*) FROM proxy_user
    WHERE residential_served < residential_net OR mobile_served < mobile_net`,
  // An account that is being deleted may lack rows: see delete-removed.ts.
  'the sums of the use of users match its rows': `
    WITH kept (account_id) AS (SELECT id FROM account WHERE name NOT LIKE 'deleted/%'),
      sums (days, bytes) AS (
        SELECT sum(days), sum(bytes) FROM user_use_mark WHERE account_id IN kept UNION ALL
        SELECT count(*), sum(residential + mobile) FROM user_use WHERE account_id IN kept)
    SELECT count(DISTINCT coalesce(days, 0)) - 1 + count(DISTINCT coalesce(bytes, 0)) - 1 FROM sums`,
  // Graphs that are being deleted may lack theirs: see delete-removed.ts.
  'every graph has counters': `
    SELECT count(*) FROM graph
    WHERE NOT EXISTS (SELECT 1 FROM counter WHERE owner = 'graph/' || graph.id)
      AND NOT EXISTS (SELECT 1 FROM account WHERE id = account_id AND name LIKE 'deleted/%')`,
  'no rolled-up history is later than the floor of its graph':
    'SELECT count(*) FROM rolled_up_bucket JOIN graph ON graph.id = graph_id WHERE at + width_ms > floor',
  'every graph and listing with a baseline has been read': `
    SELECT (SELECT count(*) FROM graph WHERE baselined_at IS NOT NULL AND watermark IS NULL)
      + (SELECT count(*) FROM listing WHERE baselined_at IS NOT NULL AND complete_at IS NULL)`,
  'no test has more successes than results, or another number of outcomes than it remembers': `
    SELECT count(*) FROM test_cells, json_each(cells) AS cell
    WHERE value ->> 4 < 0 OR value ->> 4 > value ->> 3 OR value ->> 6 < 1 OR value ->> 6 >= 1 << 9`,
  'every proxy, url and tester has a name': `
    SELECT (SELECT count(*) FROM tested_proxy WHERE proxy NOT IN (SELECT id FROM subject))
      + (SELECT count(*) FROM url_tester WHERE url NOT IN (SELECT id FROM subject)
        OR tester NOT IN (SELECT id FROM subject))`,
  'the response times of each histogram add up': `
    SELECT count(*) FROM url_tester
    WHERE count < (SELECT max(value) FROM json_each(counts))`,
};
