// proxywatch store backup: writes a checked copy of the configured store, also while the daemon writes it.

import { statSync } from 'node:fs';
import { loadSettings } from '../../daemon/settings.ts';
import { backUp } from '../../store/sqlite/file/backup.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { formatBytes } from '../format.ts';
import { progressBar } from '../progress-bar.ts';

export interface BackupOptions {
  readonly config: string;
  readonly file: string;
  /** Whether to replace an existing file. */
  readonly overwrite?: boolean;
}

/** Throws ConfigError and StoreError. */
export const backUpStore = async (
  { env, stdout, stderr, signal }: CommandContext,
  { config, file, overwrite = false }: BackupOptions,
): Promise<ExitCode> => {
  const { path } = loadSettings(config, env).config.store;
  {
    using bar = progressBar(stderr);
    const onProgress = (share: number): void => bar.show('copying', share);
    await backUp(path, file, { overwrite, signal, onProgress });
  }
  stdout.write(`${file}: backup of ${path}, ${formatBytes(statSync(file).size)}, no damage found\n`);
  return 0;
};
