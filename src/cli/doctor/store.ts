// Whether the daemon can use its store, or is using it right now.

import { StoreError } from '../../store/errors.ts';
import {
  isHeld,
  PRESENT_SCHEMA,
  type Space,
  schemaAt,
  spaceAt,
  tryWriting,
} from '../../store/sqlite/file/inspect.ts';
import { type Finding, failed, ok, warning } from './finding.ts';
import type { Surroundings } from './visit.ts';

/** Below this the daemon is about to fail: its log alone may have 4 MB. */
const HARDLY_ANY_BYTES = 20e6;
/** What is good to have beside room for a backup. */
const EASE_BYTES = 200e6;

/** Changes nothing of it, also while a daemon uses it. */
export function* checkStore({ settings }: Surroundings): Generator<Finding> {
  const { path } = settings.store;
  const found = [() => schemaFinding(path), () => writeFinding(path), () => lockFinding(path)];
  for (const look of found) yield unlessStoreError(look);
  yield spaceFinding(spaceAt(path));
}

/** Its message names the file and a way out. */
const unlessStoreError = (look: () => Finding): Finding => {
  try {
    return look();
  } catch (error) {
    if (error instanceof StoreError) return failed('store', error.message);
    throw error;
  }
};

const schemaFinding = (path: string): Finding => {
  const schema = schemaAt(path);
  if (schema === undefined) return ok('store', `${path}: is made when the daemon starts`);
  if (schema === PRESENT_SCHEMA) return ok('store', `${path}: schema ${schema}, as this version has it`);
  const older = `${path}: schema ${schema}; the daemon brings it to ${PRESENT_SCHEMA} when it starts`;
  return warning('store', older, 'make a backup before, since an older version will refuse it then');
};

const writeFinding = (path: string): Finding => {
  tryWriting(path);
  return ok('store', 'its files and its folder can be written');
};

const lockFinding = (path: string): Finding =>
  ok('store', isHeld(path) ? 'a daemon is running on it, and is left alone' : 'no daemon is running on it');

export const spaceFinding = ({ usedBytes, freeBytes }: Space): Finding => {
  const found = `${megabytes(usedBytes)} MB, and ${megabytes(freeBytes)} MB free on its disk`;
  if (freeBytes < HARDLY_ANY_BYTES) return failed('store', found, 'free some, or name another store.path');
  return freeBytes < usedBytes + EASE_BYTES
    ? warning('store', found, 'free some: a backup beside it would fill the disk')
    : ok('store', found);
};

const megabytes = (bytes: number): string => Math.round(bytes / 1e6).toLocaleString('en');
