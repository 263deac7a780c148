// Resolves the paths of files that the configuration names, notices that a file has changed, and describes why it cannot be read.

import { AsyncLocalStorage } from 'node:async_hooks';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';

const baseFolder = new AsyncLocalStorage<string>();

export const withBaseFolder = <T>(folder: string, parse: () => T): T => baseFolder.run(folder, parse);

/** Returns the absolute path; outside of withBaseFolder, relative paths start at the working directory. */
export const resolvePath = (path: string): string => resolve(baseFolder.getStore() ?? '.', path);

/** Schema of a path that stays as written. */
export const pathText = () => z.string({ error: 'expected a path' }).min(1);

/** Schema of a path or a pattern of paths, made absolute from the configuration file's folder. */
export const relativePath = () =>
  pathText()
    .transform(resolvePath)
    .meta({ description: 'A path. A relative path starts at the folder of this file.' });

/** Returns a text that stays equal until the file is changed or replaced. Throws the system's error if the file is missing. */
export const fingerprintOf = (file: string): string => {
  const { ino, size, mtimeNs } = statSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
};

const REASONS: Record<string, string> = {
  EACCES: 'no permission',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file',
};

export const describeReadError = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return REASONS[code] ?? code;
};
