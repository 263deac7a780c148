// Gives tests new stores without the migrations, which take most of the time of opening a new store.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile } from '../../src/store/sqlite/file/open.ts';

let content: Buffer | undefined;

/**
 * Writes a store as it is right after its creation, before a daemon opens its first epoch. Does nothing if there is a file,
 * or the path cannot be written: opening the store says so then.
 */
export const writeEmptyStore = (path: string): void => {
  content ??= createEmptyStore();
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  } catch {}
};

const createEmptyStore = (): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-empty-'));
  const path = join(folder, 'store.db');
  openFile(path, { isDurable: false }).close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
};
