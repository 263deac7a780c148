// Tests that a store of a build from before the release of its schema is refused unchanged, wherever it is opened, and that
// the error says what to do.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkFile } from '../../../src/store/sqlite/file/check.ts';
import { schemaVersionOf } from '../../../src/store/sqlite/file/inspect.ts';
import { APPLICATION_ID } from '../../../src/store/sqlite/file/open.ts';
import { restore } from '../../../src/store/sqlite/file/restore.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations/migrations.ts';
import { ALERT_NOTICES } from '../../../src/store/sqlite/migrations/sixth.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';
import { rewindReceiver } from '../../../src/store/sqlite/publication/receivers.ts';
import { openSqliteStoreReadOnly } from '../../../src/store/sqlite/sqlite-store.ts';
import { makeFolder, openStore } from '../support.ts';

const { signal } = new AbortController();
const WORK = { signal, onProgress: () => {}, now: 0, firstStepHoldMs: 0, overwrite: false };

/** Returns the path of a store that these steps made, with the number of a later schema. */
const storeOf = (steps: readonly string[], version: number): string => {
  const path = join(makeFolder(), 'store.db');
  const sql = new SQLite(path);
  // As one transaction, because otherwise each statement waits for the disk.
  sql.transaction(() => {
    for (const step of steps) sql.exec(step);
  })();
  sql.pragma(`application_id = ${APPLICATION_ID}`);
  sql.pragma(`user_version = ${version}`);
  sql.close();
  return path;
};

/** A build between two releases made some of the tables of schema 6. */
const unreleasedStore = (): string => storeOf([...MIGRATIONS.slice(0, 5), ALERT_NOTICES], 6);

const LACKS =
  /it has schema 6, but lacks the \S+ \S+, and \d+ more parts of this schema\. A build from before the release of schema 6 wrote it, and no version can upgrade it\. /;
const ADVICE = /Restore a backup that a released version wrote.* Or move the file away, which keeps it/;

const openings: readonly (readonly [string, (path: string) => unknown])[] = [
  ['the daemon', (path) => openStore(path)],
  ['a reading command', (path) => openSqliteStoreReadOnly(path)],
  ['remote-write rewind', (path) => rewindReceiver(path, 'engine', 0)],
  ['store backup --account', (path) => moveOut(path, `${path}.moved`, { ...WORK, account: 'main' })],
  ['doctor', (path) => schemaVersionOf(path)],
];

describe('a store of a build from before the release of its schema', () => {
  it.each(openings)('is refused unchanged by %s, with what to do', async (_, open) => {
    const path = unreleasedStore();
    const before = readFileSync(path);
    const error = await (async () => open(path))().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', kind: 'failed' });
    const { message } = error as Error;
    expect(message).toContain(path);
    expect(message).toMatch(LACKS);
    expect(message).toMatch(ADVICE);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is not restored, and the error names the file', async () => {
    const [path, backup] = [join(makeFolder(), 'store.db'), unreleasedStore()];
    const restoring = restore(path, backup, WORK);
    await expect(restoring).rejects.toThrow(LACKS);
    await expect(restoring).rejects.toThrow(`${backup}: `);
    await expect(restoring).rejects.toThrow(/Restore another backup$/);
  });

  it.each([
    ['of an earlier schema', unreleasedStore, LACKS],
    [
      'of this schema',
      () => storeOf(MIGRATIONS.slice(0, -1), MIGRATIONS.length),
      /it has schema \d+, but lacks the /,
    ],
  ])('fails the check: %s', (_, make, lacks) => {
    const findings = [...checkFile(make())].filter(({ damage }) => damage !== null);
    expect(findings.map(({ subject }) => subject)).toEqual(['tables and columns of the schema']);
    expect(findings[0]?.damage).toMatch(lacks);
    expect(findings[0]?.damage).toMatch(ADVICE);
  });
});
