// proxywatch store restore: replaces the configured store by a backup while no daemon runs.

import { loadSettings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { restore } from '../../store/sqlite/file/restore.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { progressBar } from '../progress-bar.ts';

/** Throws ConfigError and StoreError. */
export const restoreStore = async (
  { env, stdout, stderr, signal }: CommandContext,
  { config, file }: { config: string; file: string },
): Promise<ExitCode> => {
  const { path } = loadSettings(config, env).config.store;
  let kept: string | null;
  {
    using bar = progressBar(stderr);
    const onProgress = (share: number): void => bar.show('copying', share);
    kept = await restore(path, file, { now: systemClock.now(), signal, onProgress });
  }
  stdout.write(`${path}: restored from ${file}\n`);
  if (kept !== null) stdout.write(`the replaced store is kept as ${kept}\n`);
  stdout.write('all counters begin a new epoch at 0 when the daemon starts\n');
  return 0;
};
