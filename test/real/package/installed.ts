// Installs the package as npm packs it into an empty folder.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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
  const own = await mkdtemp(join(tmpdir(), 'proxywatch-package-'));
  const [checkout, folder] = [join(own, 'checkout'), join(own, 'empty')];
  await copyCheckout(checkout);
  await run(checkout, 'npm', 'run', 'build');
  const tarball = (await run(checkout, 'npm', 'pack', '--pack-destination', own)).trim();
  await mkdir(folder);
  await run(folder, 'npm', 'install', '--omit=dev', '--omit=optional', '--ignore-scripts', `../${tarball}`);
  return {
    folder,
    root: join(folder, 'node_modules/proxywatch'),
    program: join(folder, 'node_modules/.bin/proxywatch'),
    [Symbol.asyncDispose]: () => rm(own, { recursive: true }),
  };
};

const NOT_COPIED = ['.git', 'dist', 'node_modules'];

/** The package is built in a copy, because other tests may change and run the build of the checkout at the same time. */
const copyCheckout = async (folder: string): Promise<void> => {
  await cp(ROOT, folder, {
    recursive: true,
    filter: (path) => !NOT_COPIED.includes(relative(ROOT, path)),
  });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
};
