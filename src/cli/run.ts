// proxywatch run: the daemon.

import { createApp } from '../app.ts';
import { serve } from '../daemon.ts';
import { systemClock } from '../lib/clock.ts';
import { loadSettings, type Settings } from '../settings.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { createLog } from './logger.ts';

/** Throws ConfigError, StoreError, or the server's error when it cannot start. */
export const run = async (context: CommandContext, { config }: { config: string }): Promise<ExitCode> =>
  runDaemon(context, loadSettings(config, context.env).config);

/** Runs until the signal aborts. */
export const runDaemon = async (context: CommandContext, settings: Settings): Promise<ExitCode> => {
  const { signal, stdout, version } = context;
  const log = createLog(settings.log, stdout);
  await using app = await createApp({ settings, clock: systemClock, log, version });
  await serve({ app, settings, clock: systemClock, log, version, signal });
  log.info({}, 'stopping');
  return 0;
};
