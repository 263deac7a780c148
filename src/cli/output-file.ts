// Writes a command's output to a file, which gets its name only when it is complete, and gives commands temporary folders.

import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describeMissingFolder } from '../lib/missing-folder.ts';

/** Calls `work` with a new folder, which is deleted when the work has ended, unless the work deleted it. */
export const inTemporaryFolder = async <T>(
  command: string,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), `proxywatch-${command}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const OWNER_ONLY = 0o600;

/** Writes the pieces to a file for its owner only. Throws system errors and AbortError, and then leaves no partial file. */
export const writeOutputFile = async (
  path: string,
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  // A pipe or a device is written directly, because it must not be replaced by a file.
  if (isDevice(path)) {
    await pipeline(pieces, createWriteStream(path), { signal });
    return;
  }
  const partial = partialOf(path);
  try {
    // A file that an aborted command left has its own permissions.
    rmSync(partial, { force: true });
    await pipeline(pieces, createWriteStream(partial, { flush: true, mode: OWNER_ONLY, flags: 'wx' }), {
      signal,
    });
    renameSync(partial, path);
  } catch (error) {
    throw explainFailure(path, error);
  } finally {
    rmSync(partial, { force: true });
  }
};

/** Throws the error that `writeOutputFile` would throw if it could not write to `path`. It leaves nothing behind. */
export const checkOutputFile = (path: string): void => {
  if (isDevice(path)) {
    checkDevice(path);
    return;
  }
  try {
    checkFile(partialOf(path));
  } catch (error) {
    throw explainFailure(path, error);
  }
};

/** The system's message about a missing folder would name the partial file. */
const explainFailure = (path: string, error: unknown): unknown => {
  const problem = describeMissingFolder(path);
  return problem === undefined ? error : new Error(problem, { cause: error });
};

const checkFile = (partial: string): void => {
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx'));
  rmSync(partial);
};

const partialOf = (path: string): string => `${path}.partial`;

/** A pipe is not opened, because that waits for its reader. */
const checkDevice = (path: string): void => {
  if (statSync(path).isDirectory()) closeSync(openSync(path, 'r+'));
  else accessSync(path, constants.W_OK);
};

/** Also for a folder, which cannot be written. */
const isDevice = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === false;
