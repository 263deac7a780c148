// proxywatch store restore: replaces the configured store by a backup, or takes an account into it, while no daemon runs.

import { loadSettings } from '../../daemon/load-settings.ts';
import type { Settings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { restore } from '../../store/sqlite/file/restore.ts';
import { type Merged, merge } from '../../store/sqlite/move/merge.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { progressBar } from '../progress-bar.ts';

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
