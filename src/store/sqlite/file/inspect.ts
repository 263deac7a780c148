// Inspects a store's files without changing them or blocking a daemon.

import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIGRATIONS, requireAllParts } from '../migrations/migrations.ts';
import { aboutFile, asStoreError } from './errors.ts';
import { openAnyVersion, versionOf } from './open.ts';
import { statsOf } from './real-path.ts';
import { sidecarPath } from './sidecar.ts';

export const CURRENT_SCHEMA = MIGRATIONS.length;

/**
 * Returns the schema version of the store at `path`, or undefined if there is none yet. Throws StoreError for any other
 * file, and for a store that no version can upgrade.
 */
export const schemaVersionOf = (path: string): number | undefined => {
  if (bytesOf(path) === 0) return undefined;
  using sql = openAnyVersion(path);
  try {
    const version = versionOf(sql);
    requireAllParts(sql, version);
    return version;
  } catch (error) {
    throw asStoreError(error, path);
  }
};

/** Throws StoreError unless this user can create and write the store's files. Leaves nothing behind. */
export const checkWriteAccess = (path: string): void =>
  aboutFile(path, () => {
    rmdirSync(mkdtempSync(join(nearestExistingFolder(path), '.proxywatch-')));
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`, sidecarPath(path)]) {
      if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    }
  });

export interface DiskSpace {
  /** Size of the store and its WAL. */
  readonly usedBytes: number;
  /** Free space on its disk that this user may use. */
  readonly freeBytes: number;
}

export const diskSpaceOf = (path: string): DiskSpace => {
  const { bavail, bsize } = statfsSync(nearestExistingFolder(path));
  return { usedBytes: bytesOf(path) + bytesOf(`${path}-wal`), freeBytes: bavail * bsize };
};

/** Returns the store's folder, or the closest existing folder above it. */
const nearestExistingFolder = (path: string): string => {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
};

const bytesOf = (file: string): number => statsOf(file)?.size ?? 0;
