// The size of a production install without Node.js: what npm packs, and the dependencies that npm installs for it.

import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type Reading, sum, temporaryFolder, turnsOf } from '../harness.ts';

export const size: Case = {
  title: 'a production install without Node.js',
  figures: {
    'npm package': { unit: 'MB' },
    'installed, without Node.js': { unit: 'MB', against: 0.4 },
  },
  rounds: 1,
  contenders: ({ versions }) => turnsOf(versions, ({ root }, stack) => install(root, temporaryFolder(stack))),
};

const install = async (root: string, folder: string): Promise<Reading> => {
  const packed = npm(root, 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder).trim();
  const [archive, installed] = [join(folder, packed), join(folder, 'package')];
  execFileSync('tar', ['-xf', archive], { cwd: folder });
  // npm leaves them out of a package, and they choose the dependencies.
  for (const file of ['package-lock.json', '.npmrc']) copyFileSync(join(root, file), join(installed, file));
  npm(installed, 'ci', '--omit=dev', '--omit=optional');
  return { 'npm package': lstatSync(archive).size / 1e6, 'installed, without Node.js': sizeOf(installed) };
};

const npm = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] }).toString();

/** Returns MB on the disk. */
const sizeOf = (folder: string): number =>
  sum(
    globSync('**/{*,.*}', { cwd: folder }).map((file) => (512 * lstatSync(join(folder, file)).blocks) / 1e6),
  );
