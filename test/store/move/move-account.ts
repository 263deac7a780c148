// Makes stores with data of every kind, and moves the account `main` between stores.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { type Merged, merge } from '../../../src/store/sqlite/move/merge.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';
import type { Harness } from '../../support/harness.ts';
import { openStore } from '../support.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/stores/v5.db.gz');

export const FILE_OPTIONS = { signal: new AbortController().signal, onProgress: () => {} };

/** Stops both daemons, and moves the account. Returns a copy of the old store from before the move. */
export const moveAccount = async (source: Harness, target: Harness): Promise<string> => {
  await source.stop();
  await target.stop();
  const [copy, file] = [join(source.folder, 'twin.db'), join(source.folder, 'main.db')];
  await backUp(source.storePath, copy, { overwrite: true, ...FILE_OPTIONS });
  await moveStores(source.storePath, target.storePath, file, source.clock.now());
  return copy;
};

/** Moves the account between stores that no daemon uses. */
export const moveStores = async (from: string, to: string, file: string, now: number): Promise<Merged> => {
  const options = { now, firstStepHoldMs: 0, ...FILE_OPTIONS };
  await moveOut(from, file, { account: 'main', overwrite: existsSync(file), ...options });
  return merge(to, file, options);
};

/** Creates a store that has data of every kind, of an account of this name. */
export const makeFixtureStore = (path: string, account: string): void => {
  writeFileSync(path, gunzipSync(readFileSync(FIXTURE)));
  openStore(path)[Symbol.dispose]();
  const sql = new SQLite(path);
  sql.prepare(`UPDATE account SET name = ? WHERE name = 'main'`).run(account);
  sql.close();
};
