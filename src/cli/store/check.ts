// proxywatch store check: checks the configured store for damage, also while the daemon writes it.

import { loadSettings } from '../../daemon/load-settings.ts';
import { runInThread } from '../../store/sqlite/file/worker.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { progressBar } from '../progress-bar.ts';

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
