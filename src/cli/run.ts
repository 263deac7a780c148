// proxywatch run: the daemon.

import { createApp } from '../app.ts';
import { serve } from '../daemon.ts';
import { systemClock } from '../lib/clock.ts';
import { loadSettings } from '../settings.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { createLog } from './logger.ts';

/** Runs until the signal aborts. Throws ConfigError, StoreError, or the server's error when it cannot start. */
export const run = async (
  context: CommandContext,
  { config: file }: { config: string },
): Promise<ExitCode> => {
  const { env, signal, stdout, version } = context;
  const { config: settings, mistakeAt } = loadSettings(file, env);
  const log = createLog(settings.log, stdout);
  const clock = systemClock;
  await using app = await createApp({ settings, clock, log, version, mistakeAt });
  await serve({ app, settings, clock, log, version, signal });
  log.info({}, 'stopping');
  return 0;
};
