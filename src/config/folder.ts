// Relative paths start at the configuration file: schemas are made before there is one, and learn its folder here.

import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';
import { z } from 'zod';

const present = new AsyncLocalStorage<string>();

/** Runs `parse`, in which relative paths start at `folder`. */
export const inFolder = <T>(folder: string, parse: () => T): T => present.run(folder, parse);

/** Absolute path; outside inFolder relative ones start at the working directory. */
export const fromFolder = (path: string): string => resolve(present.getStore() ?? '.', path);

/** A path as it is written. */
export const pathText = () => z.string({ error: 'expected a path' }).min(1);

/** A path or a pattern of paths, made absolute from the configuration file's folder. */
export const relativePath = () =>
  pathText()
    .transform(fromFolder)
    .meta({ description: "A path; a relative one starts at this file's folder." });
