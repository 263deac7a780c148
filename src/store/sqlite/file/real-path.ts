// Follows a symbolic link to the store's file: SQLite puts the WAL beside the real file, so all other files belong there.

import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { aboutFile } from './errors.ts';

/** Follows links to missing files too, but not to folders, which change no file's folder. Throws StoreError for a ring. */
export const realPathOf = (path: string): string => {
  // This fails where the links form a ring.
  statsOf(path);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  return realPathOf(resolve(realpathSync(dirname(path)), readlinkSync(path)));
};

/** Returns undefined if there is no file. Throws StoreError. */
export const statsOf = (path: string): Stats | undefined =>
  aboutFile(path, () => statSync(path, { throwIfNoEntry: false }));
