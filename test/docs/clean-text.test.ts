// Tests that no text names paths of the machines that built the product, or addresses of their registries.

import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './documents.ts';

const MACHINE_SPECIFIC = [
  /\/(work|root|home)\//,
  /https?:\/\/[^\s"']*(registry|mirror)/i,
  /"resolved": "https?:/,
];

/**
 * Only files in Git are checked, because other files in the folder may name any path. A symbolic link to a folder is one
 * of Git's files.
 */
const trackedFiles = (): string[] =>
  execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile());

const linesOf = (path: string): string[] => {
  const bytes = readFileSync(join(ROOT, path));
  return isUtf8(bytes) ? bytes.toString().split('\n') : [];
};

test.skipIf(!existsSync(join(ROOT, '.git')))(
  'no text names a path of a machine or a package registry',
  () => {
    const found = trackedFiles().flatMap((path) =>
      linesOf(path).flatMap((line, index) =>
        MACHINE_SPECIFIC.some((pattern) => pattern.test(line)) ? [`${path}:${index + 1}: ${line}`] : [],
      ),
    );
    expect(found).toEqual([]);
  },
);
