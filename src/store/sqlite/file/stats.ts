// Reads what the file system knows about a file of the store.

import { type Stats, statSync } from 'node:fs';
import { asFileError } from './file-error.ts';

/** Returns undefined if there is no file. Throws StoreError. */
export const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw asFileError(error, path);
  }
};
