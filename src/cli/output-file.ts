// A command's output: a file that has its name once it is whole, or what is there already and no file.

import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Writes the pieces to `path`. Throws the system's errors and the signal's AbortError, and leaves no part behind. */
export const writeFileOf = async (
  path: string,
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  // A pipe or a device stays what it is.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    await pipeline(pieces, createWriteStream(path), { signal });
    return;
  }
  const partial = `${path}.partial`;
  try {
    await pipeline(pieces, createWriteStream(partial, { flush: true }), { signal });
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
};
