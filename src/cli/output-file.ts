// Writes a command's output to a file, which gets its name only when it is complete.

import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { describeMissingFolder } from '../lib/missing-folder.ts';

/** Writes the pieces to `path`. Throws the system's errors and the signal's AbortError, and then leaves no partial file. */
export const writeOutputFile = async (
  path: string,
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  // A pipe or a device is written directly, because it must not be replaced by a file.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    await pipeline(pieces, createWriteStream(path), { signal });
    return;
  }
  const partial = `${path}.partial`;
  try {
    await pipeline(pieces, createWriteStream(partial, { flush: true }), { signal });
    renameSync(partial, path);
  } catch (error) {
    // The system's message would name the partial file.
    const problem = describeMissingFolder(path);
    throw problem === undefined ? error : new Error(problem, { cause: error });
  } finally {
    rmSync(partial, { force: true });
  }
};
