// Finds the engines that tests run on: the one on the PATH, and those of other versions in the folder PROXYWATCH_ENGINES.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isExecutable } from './with-programs.ts';

/** Suites of Debian whose engines `.ci/engines` puts into the folder, newest first. */
const SUITES = ['sid', 'trixie'];

/**
 * Returns a program in each version that can run here, the one on the PATH first. `name` is for titles of tests.
 * Throws an error in CI if the folder is not set, or lacks the newest version, so that no version is left out.
 */
export const engines = (program: string): { name: string; path: string }[] => {
  const folder = process.env.PROXYWATCH_ENGINES;
  if (folder === undefined && process.env.CI) throw new Error('PROXYWATCH_ENGINES is not set');
  const paths = folder === undefined ? [] : SUITES.map((suite) => join(folder, suite, 'usr/bin', program));
  const [newest] = paths;
  if (process.env.CI && newest !== undefined && !isExecutable(newest))
    throw new Error(`${newest} is missing`);
  return [program, ...paths.filter(isExecutable)].map((path) => ({ name: nameOf(program, path), path }));
};

/** Debian's VictoriaMetrics does not know its version. The log of `.ci/engines` has it. */
const nameOf = (program: string, path: string): string => {
  const { stdout = '', stderr = '' } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  const [version] = /(?<=version )\d+[.\d]+/.exec(`${stdout}${stderr}`) ?? [];
  const suite = SUITES.find((each) => path.includes(`/${each}/usr/bin/`));
  return `${program} ${version ?? (suite === undefined ? 'installed' : `of ${suite}`)}`;
};
