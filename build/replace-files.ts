// Replaces the files of a folder while other processes may read them.

import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The ending of a file that is not complete yet. It contains the process id, so that two builds do not share it. */
const UNFINISHED = `.${process.pid}.unfinished`;

/**
 * Gives the folder these files and no others. Each path always leads to the whole former or the whole new file. Files
 * that stay the same are not touched.
 */
export const replaceFiles = (folder: string, files: ReadonlyMap<string, string | Uint8Array>): void => {
  for (const [path, content] of files) replaceFile(join(folder, path), Buffer.from(content));
  const paths = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.unfinished'))
    .map((entry) => join(entry.parentPath, entry.name));
  const kept = new Set([...files.keys()].map((path) => join(folder, path)));
  for (const path of paths.filter((path) => !kept.has(path))) rmSync(path, { force: true });
};

const replaceFile = (path: string, content: Buffer): void => {
  if (contentOf(path)?.equals(content)) return;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path + UNFINISHED, content);
    renameSync(path + UNFINISHED, path);
  } finally {
    rmSync(path + UNFINISHED, { force: true });
  }
};

const contentOf = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
};
