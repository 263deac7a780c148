// Writes the owner of the repository into all files in Git that name the repository or its image:
// PROXYWATCH_OWNER=acme node build/set-owner.ts

import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const VARIABLE = 'PROXYWATCH_OWNER';
const PLACEHOLDER = 'OWNER';

/** Names of images are lower case, and so are names of hosts. */
const withOwner = (text: string, owner: string): string =>
  text
    .replaceAll(/\bghcr\.io\/OWNER\b/g, `ghcr.io/${owner.toLowerCase()}`)
    .replaceAll(/\bOWNER\.github\.io\b/g, `${owner.toLowerCase()}.github.io`)
    .replaceAll(/\bOWNER\/proxywatch\b/g, `${owner}/proxywatch`);

/** GitHub's rule for the names of users and organizations. */
const isOwner = (name: string): boolean => /^(?=.{1,39}$)[a-z\d]+(?:-[a-z\d]+)*$/i.test(name);

/** Returns what is wrong with the name, if anything is. */
export const mistakeIn = (name: string | undefined): string | undefined => {
  if (!name) return `set ${VARIABLE} to the owner of the repository on GitHub, such as ${VARIABLE}=acme`;
  if (name === PLACEHOLDER)
    return `${VARIABLE} is ${PLACEHOLDER}, which stands for an owner that is not known`;
  if (isOwner(name)) return undefined;
  return `${VARIABLE} is not the name of an owner on GitHub: ${name}. A name has at most 39 letters, digits and single hyphens, and neither begins nor ends with a hyphen`;
};

const trackedFiles = (): string[] =>
  execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && lstatSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile());

/** Returns whether the file changed. */
const setOwner = (path: string, owner: string): boolean => {
  const bytes = readFileSync(join(ROOT, path));
  if (!isUtf8(bytes)) return false;
  const text = bytes.toString();
  const changed = withOwner(text, owner);
  if (changed === text) return false;
  writeFileSync(join(ROOT, path), changed);
  return true;
};

const run = (owner = process.env[VARIABLE]): void => {
  const mistake = mistakeIn(owner);
  if (owner === undefined || mistake !== undefined) {
    process.stderr.write(`error: ${mistake}\n`);
    process.exitCode = 1;
    return;
  }
  const changed = trackedFiles().filter((path) => setOwner(path, owner));
  process.stdout.write(changed.map((path) => `changed ${path}\n`).join(''));
  if (changed.length === 0) process.stdout.write('nothing to change: no file has the placeholder\n');
};

if (import.meta.main) run();
