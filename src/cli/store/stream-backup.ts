// Writes a checked copy of the store to standard output, to pipe it into another program.

import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StoreError } from '../../store/errors.ts';
import { backUp } from '../../store/sqlite/file/backup.ts';
import type { CommandContext } from '../context.ts';

/** Throws StoreError, also if standard output is a terminal. Nothing else is written to standard output. */
export const streamBackup = async (
  { stdout, signal }: Pick<CommandContext, 'stdout' | 'signal'>,
  path: string,
): Promise<void> => {
  if ('isTTY' in stdout && stdout.isTTY)
    throw new StoreError(
      'failed',
      'standard output is a terminal, and a backup is not text. Give a file, or pipe the output into a program',
    );
  // SQLite writes a database in any order, so the copy is complete before its first byte is written.
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-backup-'));
  try {
    const copy = join(folder, 'backup.db');
    await backUp(path, copy, { overwrite: false, signal, onProgress: () => {} });
    const bytes = createReadStream(copy);
    await once(bytes, 'open');
    // An open file is readable without its name. A reader that closes the pipe early ends this process at once.
    rmSync(folder, { recursive: true });
    await pipeline(bytes, stdout, { signal, end: false });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
