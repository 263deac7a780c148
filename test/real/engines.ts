// Finds the engines of each generation: the one that is installed, and those of the folder that PROXYWATCH_ENGINES names.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface EngineProgram {
  /** Such as `prometheus of sid`. */
  readonly name: string;
  readonly path: string;
}

/** Suites of Debian, whose programs are unpacked in folders of the same name. */
const SUITES = ['trixie', 'sid'];

/** Throws in CI if the folder of the other generations is not there, so that no generation is skipped by mistake. */
export const engines = (program: string): EngineProgram[] => {
  const { CI, PATH = '', PROXYWATCH_ENGINES: folder } = process.env;
  if (CI && !folder) throw new Error('PROXYWATCH_ENGINES does not name the folder of the engines');
  const installed = PATH.split(delimiter).find((each) => isExecutable(join(each, program)));
  const places = [
    ...(installed === undefined ? [] : [{ name: `${program} of PATH`, path: join(installed, program) }]),
    ...(folder ? SUITES : []).map((suite) => ({
      name: `${program} of ${suite}`,
      path: join(folder ?? '', suite, 'usr/bin', program),
    })),
  ];
  const found = places.filter(({ path }) => isExecutable(path));
  if (CI && found.length < 2) throw new Error(`${program} is missing, or is there in one generation only`);
  return found;
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
