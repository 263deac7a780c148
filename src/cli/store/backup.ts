// proxywatch store backup: writes a checked copy of the configured store, also while the daemon writes it, or takes an
// account out of it.

import { statSync } from 'node:fs';
import { loadSettings } from '../../daemon/load-settings.ts';
import type { Settings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { StoreError } from '../../store/errors.ts';
import { backUp } from '../../store/sqlite/file/backup.ts';
import { moveOut } from '../../store/sqlite/move/move-out.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { formatBytes } from '../format.ts';
import { progressBar } from '../progress-bar.ts';
import { streamBackup } from './stream-backup.ts';

export interface BackupOptions {
  readonly config: string;
  /** `-` for standard output. */
  readonly file: string;
  /** Whether to replace an existing file. */
  readonly overwrite?: boolean;
  /** The account to take out of the store; the file then has its rows only. */
  readonly account?: string;
}

/** Throws ConfigError and StoreError. */
export const backUpStore = async (
  context: CommandContext,
  { config, file, overwrite = false, account }: BackupOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, context.env);
  if (account !== undefined) await takeOut(context, settings, { file, overwrite, account });
  else if (file === '-') await streamBackup(context, settings.store.path);
  else await copyStore(context, settings.store.path, { file, overwrite });
  return 0;
};

const copyStore = async (
  { stdout, stderr, signal }: CommandContext,
  path: string,
  { file, overwrite }: Required<Pick<BackupOptions, 'file' | 'overwrite'>>,
): Promise<void> => {
  {
    using bar = progressBar(stderr);
    const onProgress = (share: number): void => bar.show('copying', share);
    await backUp(path, file, { overwrite, signal, onProgress });
  }
  stdout.write(`${file}: backup of ${path}, ${formatBytes(statSync(file).size)}, no damage found\n`);
};

const takeOut = async (
  { stdout, signal }: CommandContext,
  { store: { path }, metrics }: Settings,
  { file, overwrite, account }: Required<Pick<BackupOptions, 'file' | 'overwrite' | 'account'>>,
): Promise<void> => {
  if (file === '-')
    throw new StoreError('failed', '- is not possible with --account. Give the name of a file to create');
  const now = systemClock.now();
  await moveOut(path, file, { account, overwrite, now, signal, firstStepHoldMs: metrics.first_step_hold });
  stdout.write(
    `${file}: the account "${account}", moved out of ${path}, ${formatBytes(statSync(file).size)}\n` +
      `no daemon runs the account on ${path} any more\n` +
      `next: copy ${file} to the machine of the new store, stop the daemon there, and run with the store.path of the new store:\n` +
      `  proxywatch store restore ${file} --merge --config config.yaml\n`,
  );
};
