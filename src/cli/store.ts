// proxywatch store: checks the store, backs it up or moves an account out, and restores a backup or merges an account.

import { once } from 'node:events';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { loadSettings } from '../daemon/load-settings.ts';
import type { Settings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { StoreError } from '../store/errors.ts';
import { backUp } from '../store/sqlite/file/backup.ts';
import { restore } from '../store/sqlite/file/restore.ts';
import { runInThread } from '../store/sqlite/file/worker.ts';
import { type Merged, merge } from '../store/sqlite/move/merge.ts';
import { moveOut } from '../store/sqlite/move/move-out.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { formatBytes } from './format.ts';
import { inTemporaryFolder } from './output-file.ts';
import { progressBar } from './progress-bar.ts';

/** Returns 1 if anything is damaged. Throws ConfigError, and StoreError if there is no store to check. */
export const checkStore = async (
  { env, stdout, stderr, signal }: CommandContext,
  { config }: { config: string },
): Promise<ExitCode> => {
  const { path } = loadSettings(config, env).config.store;
  using bar = progressBar(stderr);
  let code: ExitCode = 0;
  bar.show(`checking ${path} ...`);
  await runInThread({ kind: 'check', path }, signal, ({ subject, damage }) => {
    if (damage !== null) code = 1;
    bar.show('');
    stdout.write(damage === null ? `ok      ${subject}\n` : `DAMAGED ${subject}: ${damage}\n`);
    bar.show(`checking ${path} ...`);
  });
  stdout.write(code === 0 ? `${path}: no damage found\n` : `${path}: the store is damaged\n`);
  return code;
};

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

/** Writes only the copy to standard output, to pipe it into a program. Throws StoreError, also if that is a terminal. */
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
  await inTemporaryFolder('backup', async (folder) => {
    const copy = join(folder, 'backup.db');
    await backUp(path, copy, { overwrite: false, signal, onProgress: () => {} });
    const bytes = createReadStream(copy);
    await once(bytes, 'open');
    // An open file is readable without its name. A reader that closes the pipe early ends this process at once.
    rmSync(folder, { recursive: true });
    await pipeline(bytes, stdout, { signal, end: false });
  });
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

interface RestoreOptions {
  readonly config: string;
  readonly file: string;
  /** Whether the file is a moved account, which joins the others of the store. */
  readonly merge?: boolean;
}

/** Throws ConfigError and StoreError. */
export const restoreStore = async (
  context: CommandContext,
  { config, file, merge: isMerge = false }: RestoreOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, context.env);
  if (isMerge) await takeIn(context, settings, file);
  else await replaceStore(context, settings.store.path, file);
  return 0;
};

const replaceStore = async (
  { stdout, stderr, signal }: CommandContext,
  path: string,
  file: string,
): Promise<void> => {
  let kept: string | null;
  {
    using bar = progressBar(stderr);
    const onProgress = (share: number): void => bar.show('copying', share);
    kept = await restore(path, file, { now: systemClock.now(), signal, onProgress });
  }
  stdout.write(`${path}: restored from ${file}\n`);
  if (kept !== null) stdout.write(`the replaced store is kept as ${kept}\n`);
  stdout.write('all counters begin a new epoch at 0 when the daemon starts\n');
};

const takeIn = async (
  { stdout, stderr, signal }: CommandContext,
  { store: { path }, metrics }: Settings,
  file: string,
): Promise<void> => {
  using bar = progressBar(stderr);
  const onProgress = (share: number): void => bar.show('copying', share);
  const options = { now: systemClock.now(), firstStepHoldMs: metrics.first_step_hold, signal, onProgress };
  const merged = await merge(path, file, options);
  bar.show('');
  stdout.write(describeMerge(merged, path, file));
};

const describeMerge = ({ account, wasThere, isNewEpoch }: Merged, path: string, file: string): string => {
  if (wasThere)
    return `${path}: the account "${account}" is already in this store from ${file}. Nothing was changed\n`;
  const next = isNewEpoch
    ? 'an older file of this store was put back after the account was moved out, so the counters of the account begin a new epoch at 0'
    : 'the counters of the account continue';
  return (
    `${path}: merged the account "${account}" from ${file}\n${next} when the daemon starts\n` +
    `delete ${file}, so that nobody merges it into a second store\n`
  );
};
