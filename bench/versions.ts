// The versions that are compared: this tree, and a pinned build of another commit.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
/** Node.js strips no types of files in node_modules, which the build needs. */
const CACHE = join(tmpdir(), 'proxywatch-bench');

export interface Version {
  readonly name: string;
  /** The folder with its `package.json`, `node_modules` and `dist`. */
  readonly root: string;
  /** The built program. */
  readonly main: string;
}

const versionIn = (name: string, root: string): Version => ({ name, root, main: join(root, 'dist/main.js') });

const run = (cwd: string, program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 30 }).toString();

/** Builds this tree as `npm start` does. */
export const thisVersion = (): Version => {
  run(ROOT, process.execPath, 'start.mjs', '--version');
  return versionIn('this', ROOT);
};

/** Builds the commit once, with its own dependencies and build, in a folder of its own. Both versions run on the same Node.js. */
export const otherVersion = (ref: string): Version => {
  const commit = run(ROOT, 'git', 'rev-parse', '--verify', `${ref}^{commit}`).trim();
  const root = join(CACHE, commit);
  if (!existsSync(root)) {
    console.error(`building ${commit} in ${root}`);
    const unfinished = `${root}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const archive = join(unfinished, 'tree.tar');
    run(ROOT, 'git', 'archive', `--output=${archive}`, commit);
    run(unfinished, 'tar', '-xf', archive);
    run(unfinished, 'npm', 'ci');
    run(unfinished, 'npm', 'run', 'build');
    renameSync(unfinished, root);
  }
  return versionIn(commit.slice(0, 8), root);
};
