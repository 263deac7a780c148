// Defines tests that need other programs. They are skipped if a program is not installed, but fail in CI.

import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { describe, test } from 'vitest';
import { AGAIN_AFTER_PANIC, failAfterPanic } from './server-process.ts';

export const describeWith = (
  programs: readonly string[],
  title: string,
  define: () => void,
  options: { readonly concurrent?: boolean } = {},
): void => {
  const missing = missingOf(programs);
  if (missing.length === 0)
    describe(title, { ...AGAIN_AFTER_PANIC, ...options }, () => {
      failAfterPanic();
      define();
    });
  else if (process.env.CI)
    test(title, () => Promise.reject(new Error(`not installed: ${missing.join(', ')}`)));
  else describe.skip(`${title} (not installed: ${missing.join(', ')})`, define);
};

export const missingOf = (programs: readonly string[]): string[] =>
  programs.filter((name) => !isInstalled(name));

const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(resolve(folder, name)));

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
