// Makes copies of the checkout, in which tests may change files.

import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../config/support.ts';
import { ROOT } from '../docs/documents.ts';

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'safe.directory=*', ...args], { cwd: folder, encoding: 'utf8' });

/** Files that are not ignored, whether Git knows them yet or not. */
export const filesOf = (folder: string): string[] =>
  git(folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    .split('\0')
    .filter((path) => path !== '' && lstatSync(join(folder, path), { throwIfNoEntry: false })?.isFile());

/** Writes these files to a new repository. */
export const repositoryWith = (files: Readonly<Record<string, string>>): string => {
  const folder = createFolder(files);
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  return folder;
};

/** Returns a repository with copies of all files of the checkout, which finds the packages of the checkout. */
export const copyOfCheckout = (): string => {
  const folder = createFolder({});
  for (const path of filesOf(ROOT)) cpSync(join(ROOT, path), join(folder, path));
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

/** Returns the content of each file of a repository, with one character for each byte. */
export const contentsOf = (folder: string): Map<string, string> =>
  new Map(filesOf(folder).map((path) => [path, readFileSync(join(folder, path), 'latin1')]));
