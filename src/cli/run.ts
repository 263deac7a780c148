// proxywatch run: the daemon.

import { createApp } from '../app.ts';
import { serve } from '../daemon.ts';
import { systemClock } from '../lib/clock.ts';
import { Reloads } from '../reload.ts';
import { loadSettings } from '../settings.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { createLog } from './logger.ts';

/** Runs until the signal aborts. Throws ConfigError, StoreError, or the server's error when it cannot start. */
export const run = async (
  context: CommandContext,
  { config: file }: { config: string },
): Promise<ExitCode> => {
  const { env, signal, stdout, version, nodeVersion, onHangup } = context;
  const load = () => loadSettings(file, env);
  const { config: settings, mistakeAt } = load();
  const log = createLog(settings.log, stdout);
  const clock = systemClock;
  const reloads = new Reloads({ load, clock, log });
  onHangup(() => void reloads.ask());
  await using app = await createApp({ settings, clock, log, version, nodeVersion, mistakeAt });
  await serve({ app, settings, clock, log, version, signal, reloads });
  log.info({}, 'stopping');
  return 0;
};
