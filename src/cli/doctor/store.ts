// Checks whether the daemon can use its store, and whether one is using it now.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../../daemon/settings.ts';
import { StoreError } from '../../store/errors.ts';
import {
  CURRENT_SCHEMA,
  checkWriteAccess,
  type DiskSpace,
  diskSpaceOf,
  schemaVersionOf,
} from '../../store/sqlite/file/inspect.ts';
import { isLocked, nameCountOf } from '../../store/sqlite/file/lock.ts';
import { formatBytes } from '../format.ts';
import { type CheckResult, failed, ok, warning } from './check-result.ts';

/** Below this the daemon is about to fail: the store's write-ahead log alone may have 4 MB. */
const MIN_FREE_BYTES = 20e6;
/** Free space to have in addition to that for a backup. */
const SPARE_BYTES = 200e6;

/** Does not change the store, so it may run while a daemon uses it. */
export function* checkStore({
  settings,
}: {
  readonly settings: Pick<Settings, 'store'>;
}): Generator<CheckResult> {
  const { path, backup } = settings.store;
  const checks = [() => schemaFinding(path), () => writeFinding(path), () => lockFinding(path)];
  for (const check of checks) yield unlessStoreError(check);
  yield spaceFinding(diskSpaceOf(path));
  if (backup) yield unlessStoreError(() => backupFinding(backup.path, path));
}

/** The message of a StoreError names the file and what to do, so it needs no advice. */
const unlessStoreError = (check: () => CheckResult): CheckResult => {
  try {
    return check();
  } catch (error) {
    if (error instanceof StoreError) return failed('store', error.message);
    throw error;
  }
};

const schemaFinding = (path: string): CheckResult => {
  const schema = schemaVersionOf(path);
  if (schema === undefined)
    return ok('store', `${path} does not exist yet, and the daemon creates it at its first start`);
  if (schema === CURRENT_SCHEMA)
    return ok('store', `${path} has schema ${schema}, the schema of this version`);
  const older = `${path} has schema ${schema} of an earlier version, and the daemon upgrades it to schema ${CURRENT_SCHEMA} at its next start`;
  return warning('store', older, 'Make a backup first: older versions cannot open the upgraded store.');
};

const writeFinding = (path: string): CheckResult => {
  checkWriteAccess(path);
  return ok('store', 'its files and its folder are writable');
};

/** The daemon creates the folder itself, but not its parent: a disk may not be mounted. */
const backupFinding = (folder: string, path: string): CheckResult => {
  if (!existsSync(dirname(folder)))
    return failed(
      'store',
      `${dirname(folder)}: there is no such folder, so proxywatch cannot make backups in ${folder}`,
      'Create this folder, or mount its disk.',
    );
  const file = join(folder, 'backup.db');
  checkWriteAccess(file);
  return backupSpaceFinding(folder, {
    usedBytes: diskSpaceOf(path).usedBytes,
    freeBytes: diskSpaceOf(file).freeBytes,
  });
};

export const backupSpaceFinding = (folder: string, { usedBytes, freeBytes }: DiskSpace): CheckResult => {
  const found = `backups can be written to ${folder}, and its disk has ${formatBytes(freeBytes)} free`;
  return freeBytes < usedBytes
    ? warning('store', found, 'Free some space, because the next backup would fill this disk.')
    : ok('store', found);
};

const lockFinding = (path: string): CheckResult => {
  const names = nameCountOf(path);
  if (names > 1)
    return warning(
      'store',
      `${path} has ${names} names (hard links)`,
      'Remove all but one: the newest changes are in a file beside the name that the daemon uses.',
    );
  return ok(
    'store',
    isLocked(path) ? 'a daemon uses it, and doctor does not disturb the daemon' : 'no daemon uses it',
  );
};

export const spaceFinding = ({ usedBytes, freeBytes }: DiskSpace): CheckResult => {
  const free = `its disk has ${formatBytes(freeBytes)} free`;
  const found = usedBytes === 0 ? free : `it has ${formatBytes(usedBytes)}, and ${free}`;
  if (freeBytes < MIN_FREE_BYTES)
    return failed('store', found, 'Free some space, or set store.path to another disk.');
  return freeBytes < usedBytes + SPARE_BYTES
    ? warning('store', found, 'Free some space, because a backup on the same disk would fill the disk.')
    : ok('store', found);
};
