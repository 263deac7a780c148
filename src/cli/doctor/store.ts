// Checks whether the daemon can use its store, and whether one is using it now.

import { StoreError } from '../../store/errors.ts';
import {
  CURRENT_SCHEMA,
  checkWriteAccess,
  type DiskSpace,
  diskSpaceOf,
  isLocked,
  schemaVersionOf,
} from '../../store/sqlite/file/inspect.ts';
import type { DoctorContext } from './account-session.ts';
import { type CheckResult, failed, ok, warning } from './check-result.ts';

/** Below this the daemon is about to fail: the store's write-ahead log alone may have 4 MB. */
const MIN_FREE_BYTES = 20e6;
/** Free space to have in addition to that for a backup. */
const SPARE_BYTES = 200e6;

/** Does not change the store, so it may run while a daemon uses it. */
export function* checkStore({ settings }: DoctorContext): Generator<CheckResult> {
  const { path } = settings.store;
  const checks = [() => schemaFinding(path), () => writeFinding(path), () => lockFinding(path)];
  for (const check of checks) yield unlessStoreError(check);
  yield spaceFinding(diskSpaceOf(path));
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
  if (schema === undefined) return ok('store', `${path}: is made when the daemon starts`);
  if (schema === CURRENT_SCHEMA) return ok('store', `${path}: schema ${schema}, as this version has it`);
  const older = `${path}: schema ${schema}; the daemon brings it to ${CURRENT_SCHEMA} when it starts`;
  return warning('store', older, 'make a backup before, since an older version will refuse it then');
};

const writeFinding = (path: string): CheckResult => {
  checkWriteAccess(path);
  return ok('store', 'its files and its folder can be written');
};

const lockFinding = (path: string): CheckResult =>
  ok('store', isLocked(path) ? 'a daemon is running on it, and is left alone' : 'no daemon is running on it');

export const spaceFinding = ({ usedBytes, freeBytes }: DiskSpace): CheckResult => {
  const found = `${megabytes(usedBytes)} MB, and ${megabytes(freeBytes)} MB free on its disk`;
  if (freeBytes < MIN_FREE_BYTES) return failed('store', found, 'free some, or name another store.path');
  return freeBytes < usedBytes + SPARE_BYTES
    ? warning('store', found, 'free some: a backup beside it would fill the disk')
    : ok('store', found);
};

const megabytes = (bytes: number): string => Math.round(bytes / 1e6).toLocaleString('en');
