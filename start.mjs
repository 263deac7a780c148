// Runs the program in a checkout. Builds it first if a source file has changed since the last build, because the build
// takes less memory than the sources. It is JavaScript, because even the loader of TypeScript takes 30 MB.

import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = import.meta.dirname;
/** Its time is the time at which the build started. */
const BUILT = join(ROOT, 'dist/main.js');

/** @param {string} path */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const SOURCES = ['build/{bundle,packages,replace-files}.ts', 'package-lock.json', 'src/**/*'];
const sources = globSync(SOURCES, { cwd: ROOT });
const builtAt = changedAt(BUILT);
if (sources.some((path) => changedAt(join(ROOT, path)) > builtAt)) {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'build/bundle.ts')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
await import('./dist/main.js');
