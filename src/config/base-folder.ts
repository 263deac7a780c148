// Resolves relative paths from the folder of the configuration file, which schemas learn only while they parse.

import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';
import { z } from 'zod';

const baseFolder = new AsyncLocalStorage<string>();

/** Runs `parse` with `folder` as the base of relative paths. */
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
