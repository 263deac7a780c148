// Installs the package as npm packs it into an empty folder.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../docs/documents.ts';

export interface Installed extends AsyncDisposable {
  readonly folder: string;
  /** The folder of the package in the folder. */
  readonly root: string;
  readonly program: string;
}

export const run = async (cwd: string, command: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd, timeout: 100_000 })).stdout;

export const installPackage = async (): Promise<Installed> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-package-'));
  await run(ROOT, 'npm', 'run', 'build');
  const tarball = (await run(ROOT, 'npm', 'pack', '--pack-destination', folder)).trim();
  await run(folder, 'npm', 'install', '--omit=dev', '--omit=optional', '--ignore-scripts', `./${tarball}`);
  return {
    folder,
    root: join(folder, 'node_modules/proxywatch'),
    program: join(folder, 'node_modules/.bin/proxywatch'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
};
